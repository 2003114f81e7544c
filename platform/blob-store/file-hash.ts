import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** `sha256` is in lowercase hex. */
export const hashOfFile = async (
  file: string,
  signal?: AbortSignal,
): Promise<{ readonly sha256: string; readonly md5: Uint8Array }> => {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  for await (const chunk of createReadStream(file, signal === undefined ? {} : { signal })) {
    sha256.update(chunk);
    md5.update(chunk);
  }
  return { sha256: sha256.digest('hex'), md5: md5.digest() };
};
