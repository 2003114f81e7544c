import { type FileHandle, open } from 'node:fs/promises';

const checkEnds = async (
  file: string,
  isWhole: (head: Buffer, tail: Buffer, size_bytes: number) => boolean,
): Promise<boolean> => {
  let opened: FileHandle | null = null;
  try {
    opened = await open(file);
    const { size } = await opened.stat();
    const [head, tail] = [Buffer.alloc(12), Buffer.alloc(2)];
    if (size < head.length) return false;
    await opened.read(head, 0, head.length, 0);
    await opened.read(tail, 0, tail.length, size - tail.length);
    return isWhole(head, tail, size);
  } catch {
    return false;
  } finally {
    await opened?.close();
  }
};

/** Whether a WebP is complete. Its header, which is written last, states the length. */
export const isCompleteWebp = (file: string): Promise<boolean> =>
  checkEnds(
    file,
    (head, _tail, size_bytes) =>
      head.toString('latin1', 0, 4) === 'RIFF' &&
      head.toString('latin1', 8, 12) === 'WEBP' &&
      head.readUInt32LE(4) + 8 === size_bytes,
  );

export const isCompleteJpeg = (file: string): Promise<boolean> =>
  checkEnds(file, (head, tail) => head.readUInt16BE(0) === 0xffd8 && tail.readUInt16BE(0) === 0xffd9);
