import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import { type EngineFault, surroundingsFault } from '../engine-fault.ts';
import { composeScene } from '../scene/compose-scene.ts';
import type { MediaFacts } from './media-facts.ts';
import { probe } from './probe.ts';

const PROBES_AT_ONCE = 4;

type Asset = FinalComposition['assets'][number];
type Read = (asset: Asset, path: string) => Promise<E.Either<EngineFault, MediaFacts>>;

/**
 * Facts of every asset of the composition, whose files lie at `assets` by id; or the first fault, in their order.
 *
 * @param at_once how many files are read at the same time
 */
export const probeAll = async (
  final: FinalComposition,
  assets: ReadonlyMap<string, string>,
  read: Read,
  at_once: number,
): Promise<E.Either<EngineFault, ReadonlyMap<string, MediaFacts>>> => {
  const slots = pLimit(at_once);
  const found = await Promise.all(
    final.assets.map((asset) =>
      slots(async () => {
        const { id } = asset;
        const path = assets.get(id);
        if (path === undefined) return E.left(surroundingsFault(`the file of the asset "${id}" is not at hand`));
        const facts = await read(asset, path);
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
  const { ffprobe_path = 'ffprobe' } = options;
  const read: Read = ({ id, kind }, path) => probe({ id, kind, path }, ffprobe_path, limits);
  const facts = await probeAll(final, assets, read, PROBES_AT_ONCE);
  if (E.isLeft(facts)) return facts;
  const planned = composeScene(final, facts.right);
  return E.isLeft(planned) ? planned : E.right(undefined);
};
