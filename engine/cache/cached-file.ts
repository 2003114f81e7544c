import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { abortableWork } from '../process/abortable.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import type { CacheWriter } from './cache-writer.ts';
import type { SegmentCache } from './segment-cache.ts';

type CachedFile = {
  readonly key: string;
  /** Destination. */
  readonly file: string;
  /** Checks the format: the hash only proves that the bytes are those that were stored. */
  readonly isWhole: (file: string) => Promise<boolean>;
  readonly make: () => Promise<E.Either<EngineFault, unknown>>;
  readonly cache: SegmentCache;
  readonly cacheWriter: CacheWriter;
};

/** The file from the cache, or made now and stored there. */
export const cachedFile = async (
  { key, file, isWhole, make, cache, cacheWriter }: CachedFile,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, string>> => {
  const fetched = await abortableWork((signal) => cache.fetch(key, file, signal), limits);
  if (E.isLeft(fetched)) return fetched;
  if (fetched.right && (await isWhole(file))) return E.right(file);
  // It may be a hard link into the cache: never write into it.
  await rm(file, { force: true });
  const made = await make();
  if (E.isLeft(made)) return made;
  cacheWriter.store(key, file);
  return E.right(file);
};
