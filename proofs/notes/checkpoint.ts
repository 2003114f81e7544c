import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { HASH_BYTES } from '../merkle/hashes.ts';

/** The signed state of a log: https://c2sp.org/tlog-checkpoint. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Buffer };

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** Reads the first three lines of a checkpoint. Later lines are extensions and are ignored. */
export const parseCheckpoint = (text: string): Either<string, Checkpoint> => {
  const [origin = '', digits = '', base64 = ''] = text.split('\n');
  const size = Number(digits);
  const root = Buffer.from(base64, 'base64');
  if (origin === '') return left('it is not a checkpoint: it has no origin');
  if (!/^(0|[1-9]\d*)$/.test(digits) || !Number.isSafeInteger(size))
    return left('it is not a checkpoint: it has no size');
  return root.length === HASH_BYTES && root.toString('base64') === base64
    ? right({ origin, size, root })
    : left('it is not a checkpoint: it has no root');
};
