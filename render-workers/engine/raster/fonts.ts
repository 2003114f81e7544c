import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { FONT_PACKAGES } from './engine-fonts.ts';
import { ROOT } from './program-files.ts';

const foldersIn = (root: string): readonly string[] => FONT_PACKAGES.map((name) => join(root, 'node_modules', name));

const VersionOf = t.type({ name: t.string, version: t.string });

/** The engine's fonts as `name@version`: other versions may draw other glyphs. */
export const fontVersions = async (): Promise<readonly string[]> => {
  const packages = await Promise.all(foldersIn(ROOT).map((folder) => readFile(join(folder, 'package.json'), 'utf8')));
  return packages.map((json) => {
    const decoded = VersionOf.decode(JSON.parse(json));
    if (E.isLeft(decoded)) throw new Error('a package of fonts has no name or no version');
    return `${decoded.right.name}@${decoded.right.version}`;
  });
};

const escaped = (text: string): string => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

/** A project's font file, and the name by which fontconfig finds it. */
export type OwnFace = { readonly file: string; readonly name: string };

const named = (link: string, name: string): readonly string[] => [
  '  <match target="scan">',
  `    <test name="file"><string>${escaped(link)}</string></test>`,
  `    <edit name="family" mode="assign"><string>${escaped(name)}</string></edit>`,
  '  </match>',
];

/**
 * Writes a fonts.conf that names the engine's fonts and the project's own faces, so that the system's are never used. To
 * be given to a process as FONTCONFIG_FILE. Returns its path.
 *
 * @param folder an empty one; in the one around it, what fontconfig finds in the project's own faces is kept
 * @param kept where fontconfig keeps what it found in the engine's folders of fonts
 * @param root in whose `node_modules` those are
 */
export const writeFontsConf = async (
  folder: string,
  kept: string,
  own: readonly OwnFace[],
  root: string = ROOT,
): Promise<string> => {
  const links = join(folder, 'fonts');
  // Made by fontconfig itself, in the folder that is the sandbox user's.
  const cache = join(dirname(folder), 'font-cache');
  await mkdir(links, { recursive: true });
  await chmod(folder, 0o755);
  // Where there is no room for it, all faces are looked at again.
  await mkdir(kept, { recursive: true }).catch(() => {});
  const faces = own.map(({ name, file }, index) => ({ name, file, link: join(links, String(index)) }));
  for (const { file, link } of faces) await symlink(resolve(file), link);
  const path = join(folder, 'fonts.conf');
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    '<fontconfig>',
    // The first of these is written to: what is found in a render's own folder is of no use to another.
    ...(own.length > 0 ? [`  <cachedir>${escaped(cache)}</cachedir>`] : []),
    `  <cachedir>${escaped(kept)}</cachedir>`,
    ...foldersIn(root).map((font) => `  <dir>${escaped(font)}</dir>`),
    ...(own.length > 0 ? [`  <dir>${escaped(links)}</dir>`] : []),
    ...faces.flatMap(({ link, name }) => named(link, name)),
    // Letters keep their own shapes and distances at every size: no grid of pixels pulls at them.
    '  <match target="pattern">',
    '    <edit name="hinting" mode="assign"><bool>false</bool></edit>',
    '    <edit name="hintstyle" mode="assign"><const>hintnone</const></edit>',
    '  </match>',
    // By this name Pango asks for what is to be drawn as a picture.
    '  <match target="pattern">',
    '    <test name="family"><string>emoji</string></test>',
    '    <edit name="family" mode="assign" binding="same"><string>Noto Color Emoji</string></edit>',
    '  </match>',
    '</fontconfig>',
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
};
