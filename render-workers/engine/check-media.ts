import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { type EngineFault, surroundingsFault } from './engine-fault.ts';
import type { MediaFacts } from './media-facts.ts';
import { plan } from './plan.ts';
import { probe } from './probe.ts';
import type { ProcessLimits } from './process.ts';

/** Facts of every asset of the composition, whose files lie at `assets` by id; the first fault ends it. */
export const probeAll = async (
  final: FinalComposition,
  assets: ReadonlyMap<string, string>,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ReadonlyMap<string, MediaFacts>>> => {
  const facts = new Map<string, MediaFacts>();
  for (const { id, kind } of final.assets) {
    const path = assets.get(id);
    if (path === undefined) return E.left(surroundingsFault(`the file of the asset "${id}" is not at hand`));
    const found = await probe({ id, kind, path }, ffprobe_path, limits);
    if (E.isLeft(found)) return found;
    facts.set(id, found.right);
  }
  return E.right(facts);
};

const PROBING_MS = 30_000;

/**
 * What the preparer asks before a render is promised: are the fonts known, is each asset (paths by id) readable and what
 * its kind says, and can it all be planned. Needs ffprobe; nothing is written.
 */
export const checkMedia = async (
  final: FinalComposition,
  assets: ReadonlyMap<string, string>,
  options: { readonly ffprobe_path?: string; readonly signal?: AbortSignal } = {},
): Promise<E.Either<EngineFault, void>> => {
  const limits = { signal: options.signal ?? new AbortController().signal, budget_ms: PROBING_MS };
  const facts = await probeAll(final, assets, options.ffprobe_path ?? 'ffprobe', limits);
  if (E.isLeft(facts)) return facts;
  const planned = plan(final, facts.right);
  return E.isLeft(planned) ? planned : E.right(undefined);
};
