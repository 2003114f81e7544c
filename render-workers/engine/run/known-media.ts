import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import { type EngineFault, surroundingsFault } from '../engine-fault.ts';
import type { MediaFacts } from '../media/media-facts.ts';
import { probe } from '../media/probe.ts';
import type { ProcessLimits } from './process.ts';

const MOST_KNOWN = 2000;
/** What was found in files, by their kind and hash: the same bytes are not read again. */
const known = new LRUCache<string, MediaFacts>({ max: MOST_KNOWN });

/** Facts of every asset, by id, a few files being read at once; the first fault. Files have the bytes that their hash says. */
export const mediaOf = async (
  final: FinalComposition,
  assets: ReadonlyMap<string, string>,
  ffprobe_path: string,
  cores: number,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ReadonlyMap<string, MediaFacts>>> => {
  const limit = pLimit(cores);
  const factsOf = async ({ id, kind, sha256 }: FinalComposition['assets'][number]) => {
    const path = assets.get(id);
    if (path === undefined) return E.left(surroundingsFault(`the file of the asset "${id}" is not at hand`));
    const before = known.get(`${kind} ${sha256}`);
    if (before !== undefined) return E.right({ id, facts: before });
    const found = await probe({ id, kind, path }, ffprobe_path, limits);
    if (E.isLeft(found)) return found;
    known.set(`${kind} ${sha256}`, found.right);
    return E.right({ id, facts: found.right });
  };
  const facts = new Map<string, MediaFacts>();
  for (const found of await Promise.all(final.assets.map((asset) => limit(factsOf, asset)))) {
    if (E.isLeft(found)) return found;
    facts.set(found.right.id, found.right.facts);
  }
  return E.right(facts);
};
