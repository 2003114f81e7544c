import { open, readFile, stat } from 'node:fs/promises';
import { create, type Font } from 'fontkitten';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { nameFault, textFault } from '../../../domain/composition/text-rules.ts';
import type { Seen } from '../media/inspection.ts';

/** Signatures of TrueType and OpenType files; collections and web fonts are not supported. */
const BEGINNINGS: ReadonlySet<string> = new Set(['\0\x01\0\0', 'OTTO', 'true']);

/** fontconfig silently skips files without these signatures. */
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

/** The typographic family if the file has one, else the legacy family. */
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

/** The family name in a font file. */
export const fontFamily = async (path: string): Promise<Seen> => {
  if ((await stat(path)).size > LIMITS.font_file_bytes) return refused('is larger than 64 MiB');
  const family = read(await readFile(path));
  if (family === null) return refused('is not a font that can be read: convert it to TTF or OTF');
  if (family === '') return refused('does not say which font family it belongs to');
  const fault = textFault(family, FAMILY_CHARACTERS) ?? nameFault(family);
  return fault === null ? { tag: 'family', family } : refused(`has a family name that ${fault}`);
};
