import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import { type EngineFault, surroundingsFault } from '../engine-fault.ts';
import type { ProcessLimits } from '../run/process.ts';
import { composeScene } from '../scene/compose-scene.ts';
import type { MediaFacts } from './media-facts.ts';
import { probe } from './probe.ts';

const PROBES_AT_ONCE = 4;

/** Facts of every asset of the composition, whose files lie at `assets` by id; or the first fault, in their order. */
export const probeAll = async (
  final: FinalComposition,
  assets: ReadonlyMap<string, string>,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ReadonlyMap<string, MediaFacts>>> => {
  const slots = pLimit(PROBES_AT_ONCE);
  const found = await Promise.all(
    final.assets.map(({ id, kind }) =>
      slots(async () => {
        const path = assets.get(id);
        if (path === undefined) return E.left(surroundingsFault(`the file of the asset "${id}" is not at hand`));
        const facts = await probe({ id, kind, path }, ffprobe_path, limits);
        return E.isLeft(facts) ? facts : E.right([id, facts.right] as const);
      }),
    ),
  );
  const facts = new Map<string, MediaFacts>();
  for (const one of found) {
    if (E.isLeft(one)) return one;
    facts.set(...one.right);
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
  const planned = composeScene(final, facts.right);
  return E.isLeft(planned) ? planned : E.right(undefined);
};
