import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

export type ReceivedFile = {
  /** False: the caller must wait until `on_drain`. */
  readonly write: (piece: Buffer) => boolean;
  readonly size_bytes: () => number;
  /** Resolves when the whole file is on the disk. Rejects if it could not be written. */
  readonly complete: () => Promise<{ readonly sha256: string; readonly size_bytes: number }>;
  readonly discard: () => Promise<void>;
};

/** @param path must not exist yet */
export const receiveFile = (path: string, on_drain: () => void, on_error: (error: unknown) => void): ReceivedFile => {
  // `wx` never overwrites a file or follows a link. The mode lets a sandbox's user read the file; the folder keeps
  // other users out.
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o644 });
  const hash = createHash('sha256');
  let size_bytes = 0;
  let isCreated = false;
  stream.once('open', () => {
    isCreated = true;
  });
  stream.on('drain', on_drain);
  stream.once('error', on_error);
  const closed = finished(stream);
  closed.catch(() => undefined);
  return {
    write: (piece) => {
      hash.update(piece);
      size_bytes += piece.length;
      return stream.write(piece);
    },
    size_bytes: () => size_bytes,
    complete: async () => {
      stream.end();
      await closed;
      return { sha256: hash.digest('hex'), size_bytes };
    },
    discard: async () => {
      stream.destroy();
      await closed.catch(() => undefined);
      if (isCreated) await rm(path, { force: true });
    },
  };
};
