import { open } from 'node:fs/promises';

/** Fewer bytes if the file is shorter. Rejects as `open` does. */
export const fileHead = async (path: string, bytes: number): Promise<Buffer> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};
