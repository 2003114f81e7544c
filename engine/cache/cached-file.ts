import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import { runWithinLimits } from '../process/within-limits.ts';
import type { CacheWriter } from './cache-writer.ts';
import type { SegmentCache } from './segment-cache.ts';

type CachedFile = {
  readonly key: string;
  readonly file: string;
  /**
   * Whether the file is complete in its format. The cache's hash only proves that the bytes are the ones that were
   * stored.
   */
  readonly isWhole: (file: string) => Promise<boolean>;
  readonly make: () => Promise<E.Either<EngineFault, unknown>>;
  readonly cache: SegmentCache;
  readonly cacheWriter: CacheWriter;
};

export const fetchOrMakeFile = async (
  { key, file, isWhole, make, cache, cacheWriter }: CachedFile,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, string>> => {
  const fetched = await runWithinLimits((signal) => cache.fetch(key, file, signal), limits);
  if (E.isLeft(fetched)) return fetched;
  if (fetched.right && (await isWhole(file))) return E.right(file);
  // Removes the file before it is made again: it may be a hard link into the cache, whose entry must not change.
  await rm(file, { force: true });
  const result = await make();
  if (E.isLeft(result)) return result;
  cacheWriter.store(key, file);
  return E.right(file);
};
