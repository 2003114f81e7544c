import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'fontkitten';
import { FONT_FAMILIES, type FontFamily } from '../../domain/composition/font-families.ts';
import { rangesText } from '../../domain/composition/glyph-ranges.ts';
import { FONT_PACKAGE_BY_FAMILY } from './engine-fonts.ts';
import { ROOT } from './program-files.ts';

/** A generated file, so that checking a text does not read the pinned fonts. */
export const FONT_COVERAGE_FILE = join(ROOT, 'domain/composition/font-coverage.ts');

const charactersOf = (file: string, bytes: Buffer): readonly number[] => {
  const font = create(bytes);
  if (font.isCollection) throw new Error(`${file} is a font collection`);
  return font.characterSet;
};

/** Each weight of a family must draw a text completely, so all weights must have the same characters. */
const familyText = (family: FontFamily): string => {
  const folder = join(ROOT, 'node_modules', FONT_PACKAGE_BY_FAMILY[family]);
  const hash = createHash('sha256');
  const covers = new Set<string>();
  for (const file of globSync('*/*.ttf', { cwd: folder }).toSorted()) {
    const bytes = readFileSync(join(folder, file));
    hash.update(file).update(bytes);
    if (!file.includes('Italic')) covers.add(rangesText(charactersOf(file, bytes)));
  }
  const [ranges, ...others] = covers;
  if (ranges === undefined || others.length > 0) throw new Error(`the files of ${family} differ in their characters`);
  const sha256 = hash.digest('hex');
  return `  '${family}': {\n    sha256: '${sha256}',\n    ranges:\n      '${ranges}',\n  },\n`;
};

export const fontCoverageText = (): string =>
  [
    "import type { FontFamily } from './font-families.ts';\n\n",
    '/**\n * The characters that each family has, as `rangesText` writes them, and the SHA-256 of its files, the names before\n',
    ' * them. Written by `node engine/raster/write-font-coverage.ts`.\n */\n',
    'export const FONT_COVERAGE: Readonly<Record<FontFamily, { readonly sha256: string; readonly ranges: string }>> = {\n',
    ...FONT_FAMILIES.map(familyText),
    '};\n',
  ].join('');
