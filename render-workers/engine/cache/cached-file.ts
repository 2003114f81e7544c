import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { stopping } from '../process/abortable.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import type { Keeping } from './cache-writer.ts';
import type { SegmentCache } from './segment-cache.ts';

type KeptFile = {
  readonly key: string;
  /** Where it is to lie. */
  readonly file: string;
  /** The right hash does not make it whole: so was what was stored. */
  readonly isWhole: (file: string) => Promise<boolean>;
  readonly make: () => Promise<E.Either<EngineFault, unknown>>;
  readonly cache: SegmentCache;
  readonly keeping: Keeping;
};

/** A file from the cache where that has a whole one, else made now, and kept. */
export const keptFile = async (
  { key, file, isWhole, make, cache, keeping }: KeptFile,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, string>> => {
  const fetched = await stopping((signal) => cache.fetch(key, file, signal), limits);
  if (E.isLeft(fetched)) return fetched;
  if (fetched.right && (await isWhole(file))) return E.right(file);
  // It may be another name of what the cache holds: nothing is to be written into it.
  await rm(file, { force: true });
  const made = await make();
  if (E.isLeft(made)) return made;
  keeping.keep(key, file);
  return E.right(file);
};
