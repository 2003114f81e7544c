import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FONT_PACKAGES } from './font-families.ts';

const folders: readonly string[] = FONT_PACKAGES.map((name) =>
  dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`))),
);

const escaped = (path: string): string => path.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

/**
 * Writes a fonts.conf that names the engine's fonts and nothing else, so that the system's are never used. To be given
 * to a process as FONTCONFIG_FILE. Returns its path.
 */
export const writeFontsConf = async (folder: string): Promise<string> => {
  const cache = join(folder, 'font-cache');
  await mkdir(cache, { recursive: true });
  const path = join(folder, 'fonts.conf');
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    '<fontconfig>',
    ...folders.map((font) => `  <dir>${escaped(font)}</dir>`),
    // Letters keep their own shapes and distances at every size: no grid of pixels pulls at them.
    '  <match target="pattern">',
    '    <edit name="hinting" mode="assign"><bool>false</bool></edit>',
    '    <edit name="hintstyle" mode="assign"><const>hintnone</const></edit>',
    '  </match>',
    `  <cachedir>${escaped(cache)}</cachedir>`,
    '</fontconfig>',
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
};
