import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { abortableWork } from '../process/abortable.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import type { CacheWriter } from './cache-writer.ts';
import type { SegmentCache } from './segment-cache.ts';

type CachedFile = {
  readonly key: string;
  /** Where it is to lie. */
  readonly file: string;
  /** The right hash does not make it whole: so was what was stored. */
  readonly isWhole: (file: string) => Promise<boolean>;
  readonly make: () => Promise<E.Either<EngineFault, unknown>>;
  readonly cache: SegmentCache;
  readonly cacheWriter: CacheWriter;
};

/** A file from the cache where that has a whole one, else made now, and kept. */
export const cachedFile = async (
  { key, file, isWhole, make, cache, cacheWriter }: CachedFile,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, string>> => {
  const fetched = await abortableWork((signal) => cache.fetch(key, file, signal), limits);
  if (E.isLeft(fetched)) return fetched;
  if (fetched.right && (await isWhole(file))) return E.right(file);
  // It may be another name of what the cache holds: nothing is to be written into it.
  await rm(file, { force: true });
  const made = await make();
  if (E.isLeft(made)) return made;
  cacheWriter.store(key, file);
  return E.right(file);
};
