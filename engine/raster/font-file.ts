import { readFile, stat } from 'node:fs/promises';
import { create, type Font } from 'fontkitten';
import { rangesText } from '../../domain/composition/glyph-ranges.ts';
import { isAdded } from '../../domain/composition/glyphs.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { nameFault, textFault } from '../../domain/shape/text-rules.ts';
import { fileHead } from '../../platform/process/file-head.ts';
import type { Seen } from '../media/inspection.ts';

/** Signatures of TrueType and OpenType files; collections and web fonts are not supported. */
const BEGINNINGS: ReadonlySet<string> = new Set(['\0\x01\0\0', 'OTTO', 'true']);

/** fontconfig silently skips files without these signatures. */
export const isFontFile = async (path: string): Promise<boolean> =>
  BEGINNINGS.has((await fileHead(path, 4)).toString('latin1'));

const FAMILY_CHARACTERS = 100;

/** The typographic family if the file has one, else the legacy family. */
const nameOf = (font: Font): string => (font.getName('preferredFamily') ?? font.getName('fontFamily') ?? '').trim();

const read = (bytes: Buffer): Font | null => {
  try {
    const font = create(bytes);
    return font.isCollection || font.type !== 'TTF' ? null : font;
  } catch {
    return null;
  }
};

/** Planes of letters, and the private ones: there are no characters between them. */
const PLANES: readonly number[] = [0, 1, 2, 3, 14, 15, 16];
const PLANE = 0x10000;

/**
 * The characters of a font that the engine's families lack; null where they cannot be told. Each is asked for, as a list
 * of what a hostile file claims to have can be longer than memory.
 */
const coversBeyond = (font: Font): string | null => {
  const found: number[] = [];
  try {
    for (const plane of PLANES)
      for (let code = plane * PLANE; code < (plane + 1) * PLANE; code += 1)
        if (font.hasGlyphForCodePoint(code) && isAdded(code)) found.push(code);
  } catch {
    return null;
  }
  const covers = rangesText(found);
  return covers.length > LIMITS.font_covers ? null : covers;
};

const refused = (message: string): Seen => ({ tag: 'refused', message });

/** Which characters a font brings that the engine's lack; of a file that only the drawing libraries can read, unknown. */
export const fontCovers = async (path: string): Promise<Seen> => {
  if (!(await isFontFile(path))) return refused('is not a font that can be read: convert it to TTF or OTF');
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

/** The family name in a font file, and what it covers. */
export const fontFamily = async (path: string): Promise<Seen> => {
  if ((await stat(path)).size > LIMITS.font_file_bytes) return refused('is larger than 64 MiB');
  const font = read(await readFile(path));
  const family = font === null ? null : familyOf(font);
  if (font === null || family === null) return refused('is not a font that can be read: convert it to TTF or OTF');
  if (family === '') return refused('does not say which font family it belongs to');
  const fault = textFault(family, FAMILY_CHARACTERS) ?? nameFault(family);
  return fault === null
    ? { tag: 'family', family, covers: coversBeyond(font) }
    : refused(`has a family name that ${fault}`);
};
