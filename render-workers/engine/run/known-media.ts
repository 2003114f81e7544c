import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import type { EngineFault } from '../engine-fault.ts';
import { probeAll } from '../media/check-media.ts';
import type { MediaFacts } from '../media/media-facts.ts';
import { probe } from '../media/probe.ts';
import type { ProcessLimits } from './process.ts';

const MOST_KNOWN = 2000;
/** What was found in files, by their kind and hash: the same bytes are not read again. */
const known = new LRUCache<string, MediaFacts>({ max: MOST_KNOWN });

/** Facts of every asset, by id, or the first fault. Files have the bytes that their hash says. */
export const mediaOf = async (
  final: FinalComposition,
  assets: ReadonlyMap<string, string>,
  ffprobe_path: string,
  cores: number,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ReadonlyMap<string, MediaFacts>>> => {
  const read = async ({ id, kind, sha256 }: FinalComposition['assets'][number], path: string) => {
    const before = known.get(`${kind} ${sha256}`);
    if (before !== undefined) return E.right(before);
    const found = await probe({ id, kind, path }, ffprobe_path, limits);
    if (E.isRight(found)) known.set(`${kind} ${sha256}`, found.right);
    return found;
  };
  return await probeAll(final, assets, read, cores);
};
