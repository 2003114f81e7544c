import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { isFontFamily } from '../../domain/composition/font-families.ts';
import { FAMILIES_BY_NAME_ONLY, FONT_PACKAGES } from './engine-fonts.ts';
import { ROOT } from './program-files.ts';

export const fontFolders = (root: string): readonly string[] =>
  FONT_PACKAGES.map((name) => join(root, 'node_modules', name));

/** fontconfig reads each font folder at each start. One folder of links replaces the 300 folders of the packages. */
export const linkFonts = async (folder: string, root: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const [index, font] of fontFolders(root).entries()) {
    const files = (await readdir(font, { recursive: true })).filter((name) => name.endsWith('.ttf'));
    const before = `${index}`.padStart(3, '0');
    // A link may exist already, because two processes may fill the caches at the same time.
    for (const file of files)
      await symlink(join(font, file), join(folder, `${before}-${basename(file)}`)).catch(() => undefined);
  }
};

const VersionOf = t.type({ name: t.string, version: t.string });

/** Names and versions of the font packages, for cache keys: other versions may draw other glyphs. */
export const fontVersions = async (): Promise<readonly string[]> => {
  const packages = await Promise.all(fontFolders(ROOT).map((folder) => readFile(join(folder, 'package.json'), 'utf8')));
  return packages.map((json) => {
    const decoded = VersionOf.decode(JSON.parse(json));
    if (E.isLeft(decoded)) throw new Error('a font package has no name or version');
    return `${decoded.right.name}@${decoded.right.version}`;
  });
};

const escapeXml = (text: string): string => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Texts use `name`; SVGs use `family`. */
export type ProjectFontFile = { readonly file: string; readonly name: string; readonly family: string };

const projectFaceRule = (link: string, name: string, family: string): readonly string[] => [
  '  <match target="scan">',
  `    <test name="file"><string>${escapeXml(link)}</string></test>`,
  `    <edit name="family" mode="assign"><string>${escapeXml(name)}</string></edit>`,
  // A project's font cannot take the name of an engine family, because texts also use engine families for missing
  // characters.
  ...(isFontFamily(family)
    ? []
    : [`    <edit name="family" mode="append"><string>${escapeXml(family)}</string></edit>`]),
  // SVGs of Illustrator and Sketch request faces, such as `Acme-SemiBold`; others request `Acme SemiBold`.
  '    <edit name="family" mode="append"><name>postscriptname</name><name>fullname</name></edit>',
  '  </match>',
];

/**
 * Ranks a family last for texts that do not name it, as in SVGs. Otherwise a family added later would change how such
 * texts look. fontconfig prefers fonts of the locale's language, then fonts without symbols, then higher versions.
 */
const lastResortRule = (family: string): readonly string[] => [
  '  <match target="scan">',
  `    <test name="family"><string>${family}</string></test>`,
  '    <edit name="lang" mode="assign"><langset><string>zxx</string></langset></edit>',
  '    <edit name="symbol" mode="assign"><bool>true</bool></edit>',
  '    <edit name="fontversion" mode="assign"><int>0</int></edit>',
  '  </match>',
];

/**
 * Only the engine's fonts and the project's own are used, never the system's. Returns the path for FONTCONFIG_FILE.
 * @param folder empty; its parent folder gets fontconfig's cache of the project's fonts
 * @param kept fontconfig's cache of the engine's fonts
 * @param engine the folders of the engine's fonts
 */
export const writeFontsConf = async (
  folder: string,
  kept: string,
  own: readonly ProjectFontFile[],
  engine: readonly string[],
): Promise<string> => {
  const links = join(folder, 'fonts');
  // Not created here: fontconfig creates this folder, and the parent folder belongs to the sandbox's user.
  const cache = join(dirname(folder), 'font-cache');
  await mkdir(links, { recursive: true });
  await chmod(folder, 0o755);
  // Without space for the cache, fontconfig scans all fonts again.
  await mkdir(kept, { recursive: true }).catch(() => {});
  const faces = own.map(({ name, family, file }, index) => ({ name, family, file, link: join(links, String(index)) }));
  for (const { file, link } of faces) await symlink(resolve(file), link);
  const path = join(folder, 'fonts.conf');
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    '<fontconfig>',
    // fontconfig writes to the first cache folder. A render with its own fonts gets one, because its entries are
    // useless to other renders.
    ...(own.length > 0 ? [`  <cachedir>${escapeXml(cache)}</cachedir>`] : []),
    `  <cachedir>${escapeXml(kept)}</cachedir>`,
    ...engine.map((font) => `  <dir>${escapeXml(font)}</dir>`),
    ...(own.length > 0 ? [`  <dir>${escapeXml(links)}</dir>`] : []),
    ...FAMILIES_BY_NAME_ONLY.flatMap(lastResortRule),
    ...faces.flatMap(({ link, name, family }) => projectFaceRule(link, name, family)),
    // No hinting: letters keep their shapes and distances at every size.
    '  <match target="pattern">',
    '    <edit name="hinting" mode="assign"><bool>false</bool></edit>',
    '    <edit name="hintstyle" mode="assign"><const>hintnone</const></edit>',
    '  </match>',
    // The family that Pango requests for emoji.
    '  <match target="pattern">',
    '    <test name="family"><string>emoji</string></test>',
    '    <edit name="family" mode="assign" binding="same"><string>Noto Color Emoji</string></edit>',
    '  </match>',
    '</fontconfig>',
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
};
