import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'fontkitten';
import { FONT_FAMILIES } from '../../domain/composition/font-families.ts';
import { fontPackage } from './engine-fonts.ts';
import { EMOJI_FAMILY, type FontFace, facedCharacters, hasEmoji } from './face-runs.ts';
import { ROOT } from './program-files.ts';

type FontFile = Pick<FontFace, 'has' | 'ascent' | 'descent'>;

/** HarfBuzz, and with it Pango, uses the typographic metrics if the font requests them, else those of `hhea`. */
const readFont = async (path: string): Promise<FontFile | null> => {
  try {
    const font = create(await readFile(path));
    if (font.isCollection) return null;
    const typographic = font['OS/2'].fsSelection.useTypoMetrics;
    const { typoAscender, typoDescender } = font['OS/2'];
    const [ascent, descent] = typographic ? [typoAscender, typoDescender] : [font.ascent, font.descent];
    return {
      has: (code_point) => font.hasGlyphForCodePoint(code_point),
      ascent: ascent / font.unitsPerEm,
      descent: -descent / font.unitsPerEm,
    };
  } catch {
    return null;
  }
};

/** All weights of a family have the same characters and metrics. */
const regularFile = async (family: string): Promise<string | null> => {
  const builtin = FONT_FAMILIES.find((name) => name === family);
  if (builtin === undefined) return null;
  const folder = join(ROOT, 'node_modules', fontPackage(builtin), '400Regular');
  const file = (await readdir(folder).catch(() => [])).find((name) => name.endsWith('.ttf'));
  return file === undefined ? null : join(folder, file);
};

const readFace = async (family: string, own: readonly string[] | undefined): Promise<FontFace | null> => {
  const engine = own === undefined ? await regularFile(family) : null;
  const files = await Promise.all((own ?? (engine === null ? [] : [engine])).map(readFont));
  const [first, ...others] = files.flatMap((file) => file ?? []);
  if (first === undefined || files.includes(null)) return null;
  const has = (code_point: number): boolean => [first, ...others].some((file) => file.has(code_point));
  return { ...first, family, has };
};

const faces_by_family = new Map<string, Promise<FontFace | null>>();

/** @param own the files of a project's family, whose name is unique to this process */
const faceOf = (family: string, own: readonly string[] | undefined): Promise<FontFace | null> => {
  const cached = faces_by_family.get(family);
  if (cached !== undefined) return cached;
  const reading = readFace(family, own);
  faces_by_family.set(family, reading);
  return reading;
};

/**
 * The text's own face comes first, then each family with a character that earlier faces lack. Null if the own face is
 * unreadable.
 */
export const loadFacesFor = async (
  text: string,
  families: readonly string[],
  own_files: Readonly<Record<string, readonly string[]>>,
): Promise<readonly [FontFace, ...FontFace[]] | null> => {
  const [first = '', ...others] = families;
  const own = await faceOf(first, Object.hasOwn(own_files, first) ? own_files[first] : undefined);
  if (own === null) return null;
  const faces: [FontFace, ...FontFace[]] = [own];
  let missing = facedCharacters(text).filter((character) => !own.has(character));
  for (const family of others) {
    const drawn_as_emoji = family === EMOJI_FAMILY && hasEmoji(text);
    if (missing.length === 0 && !drawn_as_emoji) continue;
    const face = await faceOf(family, undefined);
    if (face === null || !(drawn_as_emoji || missing.some(face.has))) continue;
    faces.push(face);
    missing = missing.filter((character) => !face.has(character));
  }
  return faces;
};
