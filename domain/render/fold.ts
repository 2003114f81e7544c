import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { RenderEvent } from './events.ts';
import { evolveV1, type Verdict, type WorkEvent } from './evolve.ts';
import { evolveV2 } from './evolve-v2.ts';
import { isErased, isFinal, type Render } from './render.ts';

/** The newest version that this code folds, and the version of new renders unless a setting says otherwise. */
export const FOLD_VERSION = 4;

/** The first version whose requests have their names outside the log (ADR 80). Otherwise equal to version 2. */
export const NAMES_IN_BLOB_SINCE = 3;

/** The first version whose requests have their free text in a box. Otherwise equal to version 2. */
export const SEALED_SINCE = 4;

type Evolve = (render: Render | null, event: WorkEvent, at: number) => Verdict;

const VERSIONS: ReadonlyMap<number, Evolve> = new Map([
  [1, evolveV1],
  [2, evolveV2],
  [NAMES_IN_BLOB_SINCE, evolveV2],
  [SEALED_SINCE, evolveV2],
]);

/** The render has a newer fold version than this code knows. The caller stops and waits for newer code. */
export type UnknownVersion = { readonly tag: 'unknown_version'; readonly fold_version: number };
export type FoldStep = Verdict | UnknownVersion;

const erased = (render: Render, at: number): Verdict => {
  if (!isFinal(render.status)) return { tag: 'ignored', reason: 'not_final' };
  if (isErased(render)) return { tag: 'ignored', reason: 'already_erased' };
  return { tag: 'accepted', render: { ...render, name: '', erased_at: at }, transition: null };
};

export const foldStep = (render: Render | null, event: RenderEvent, at: number): FoldStep => {
  if (render === null && event.type !== 'RenderRequested') return { tag: 'ignored', reason: 'not_requested' };
  const fold_version = render?.fold_version ?? (event.type === 'RenderRequested' ? event.fold_version : FOLD_VERSION);
  const evolve = VERSIONS.get(fold_version);
  if (evolve === undefined) return { tag: 'unknown_version', fold_version };
  if (event.type !== 'RenderErased') return evolve(render, event, at);
  return render === null ? { tag: 'ignored', reason: 'not_requested' } : erased(render, at);
};

export type TimestampedEvent = { readonly event: RenderEvent; readonly at: number };

/**
 * @param events of one render, in log order
 * @returns null if no event was accepted
 */
export const foldRender = (events: readonly TimestampedEvent[]): Either<UnknownVersion, Render | null> => {
  let render: Render | null = null;
  for (const { event, at } of events) {
    const step: FoldStep = foldStep(render, event, at);
    if (step.tag === 'unknown_version') return left(step);
    if (step.tag === 'accepted') render = step.render;
  }
  return right(render);
};
