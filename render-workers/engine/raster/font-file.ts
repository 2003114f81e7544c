import { open, readFile, stat } from 'node:fs/promises';
import { create, type Font } from 'fontkitten';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { nameFault, textFault } from '../../../domain/composition/text-rules.ts';
import type { Seen } from '../media/inspection.ts';

/** By which files of TrueType and OpenType faces begin; collections and web fonts are not drawn from. */
const BEGINNINGS: ReadonlySet<string> = new Set(['\0\x01\0\0', 'OTTO', 'true']);

/** A file that does not begin so is passed over when fonts are looked for, without a word. */
export const isFontFile = async (path: string): Promise<boolean> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return BEGINNINGS.has(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await file.close();
  }
};

const FAMILY_CHARACTERS = 100;

/** The family of all its weights, where the file tells it apart from the one that older programs list it in. */
const nameOf = (font: Font): string => (font.getName('preferredFamily') ?? font.getName('fontFamily') ?? '').trim();

const read = (bytes: Buffer): string | null => {
  try {
    const font = create(bytes);
    return font.isCollection || font.type !== 'TTF' ? null : nameOf(font);
  } catch {
    return null;
  }
};

const refused = (message: string): Seen => ({ tag: 'refused', message });

/** The family that a font file belongs to, as it says itself. */
export const fontFamily = async (path: string): Promise<Seen> => {
  if ((await stat(path)).size > LIMITS.font_file_bytes) return refused('is larger than 64 MiB');
  const family = read(await readFile(path));
  if (family === null) return refused('is not a font that can be read: convert it to TTF or OTF');
  if (family === '') return refused('does not say which font family it belongs to');
  const fault = textFault(family, FAMILY_CHARACTERS) ?? nameFault(family);
  return fault === null ? { tag: 'family', family } : refused(`has a family name that ${fault}`);
};
