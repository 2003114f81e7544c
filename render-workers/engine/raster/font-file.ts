import { open } from 'node:fs/promises';

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
