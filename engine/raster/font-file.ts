import { readFile, stat } from 'node:fs/promises';
import { create, type Font } from 'fontkitten';
import { rangesText } from '../../domain/composition/glyph-ranges.ts';
import { isAddedByProjectFont } from '../../domain/composition/glyphs.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { nameFault, textFault } from '../../domain/shape/text-rules.ts';
import { fileHead } from '../../platform/process/file-head.ts';
import type { Inspection } from '../media/inspection.ts';

const SIGNATURES: ReadonlySet<string> = new Set(['\0\x01\0\0', 'OTTO', 'true']);

/** fontconfig silently skips files without these signatures. */
export const isFontFile = async (path: string): Promise<boolean> =>
  SIGNATURES.has((await fileHead(path, 4)).toString('latin1'));

const MAX_FAMILY_CHARACTERS = 100;

/** Prefers the typographic family to the legacy family. */
const nameOf = (font: Font): string => (font.getName('preferredFamily') ?? font.getName('fontFamily') ?? '').trim();

const read = (bytes: Buffer): Font | null => {
  try {
    const font = create(bytes);
    return font.isCollection || font.type !== 'TTF' ? null : font;
  } catch {
    return null;
  }
};

/** Unicode planes with letters, and the private-use ones. The planes between them have no characters. */
const PLANES: readonly number[] = [0, 1, 2, 3, 14, 15, 16];
const PLANE_SIZE = 0x10000;

/** Tests each code point, because the list that a hostile file declares may exceed memory. Null if unknown. */
const coversBeyond = (font: Font): string | null => {
  const found: number[] = [];
  try {
    for (const plane of PLANES)
      for (let code = plane * PLANE_SIZE; code < (plane + 1) * PLANE_SIZE; code += 1)
        if (font.hasGlyphForCodePoint(code) && isAddedByProjectFont(code)) found.push(code);
  } catch {
    return null;
  }
  const covers = rangesText(found);
  return covers.length > LIMITS.font_covers ? null : covers;
};

const refusal = (message: string): Inspection => ({ tag: 'refused', message });

export const inspectFontCoverage = async (path: string): Promise<Inspection> => {
  if (!(await isFontFile(path))) return refusal('cannot be read as a font: convert it to TTF or OTF');
  const font = (await stat(path)).size > LIMITS.font_file_bytes ? null : read(await readFile(path));
  return { tag: 'font', covers: font === null ? null : coversBeyond(font) };
};

const familyOf = (font: Font): string | null => {
  try {
    return nameOf(font);
  } catch {
    return null;
  }
};

export const inspectFontFamily = async (path: string): Promise<Inspection> => {
  if ((await stat(path)).size > LIMITS.font_file_bytes) return refusal('is larger than 64 MiB');
  const font = read(await readFile(path));
  const family = font === null ? null : familyOf(font);
  if (font === null || family === null) return refusal('cannot be read as a font: convert it to TTF or OTF');
  if (family === '') return refusal('has no font family name');
  const fault = textFault(family, MAX_FAMILY_CHARACTERS) ?? nameFault(family);
  return fault === null
    ? { tag: 'family', family, covers: coversBeyond(font) }
    : refusal(`has a family name that ${fault}`);
};
