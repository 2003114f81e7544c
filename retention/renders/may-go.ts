import type { AccountRetention } from '../../domain/catalogue/entities.ts';
import { outputsGoneUntil } from '../../domain/catalogue/retention.ts';
import type { RenderBlobs } from '../../read-models/renders/render-blobs.ts';
import type { RenderBlobKind } from '../../schemas/blobs/paths.ts';

export type RenderAges = {
  /** Of what nothing refers to, ms. */
  readonly leftovers_ms: number;
  /** Of what a render was made of, after its end, where its account has set nothing else, ms. */
  readonly sources_ms: number;
  /** Of what says which parts were used, after its end, ms: as long as there may be any of them. */
  readonly used_parts_ms: number;
};

export type RenderBlob = { readonly path: string; readonly kind: RenderBlobKind; readonly stored_at: number };

/** What the account of a render has set. */
export type AccountTimes = {
  /** Null where it has set nothing. */
  readonly retention: AccountRetention | null;
  /** Outputs of renders that ended later stay, ms; see `OutputLimits`. */
  readonly outputs_until: number;
};

const DAY_MS = 86_400_000;

/**
 * Whether the outputs of a render are kept. The brokers' clock says when it ended, and Blob's when they were stored: the age
 * that an account has set must have passed by both.
 */
const areOutputsKept = (
  stored_at: number,
  ended_at: number,
  { retention, outputs_until }: AccountTimes,
  before: number,
): boolean => {
  if (ended_at > Math.min(outputsGoneUntil(retention, before), outputs_until)) return true;
  const age_ms = typeof retention?.outputs === 'number' ? retention.outputs * DAY_MS : 0;
  return stored_at > before - age_ms;
};

/** Of a render that has ended. */
const isKept = (
  { path, kind, stored_at }: RenderBlob,
  { request, outputs, composition }: RenderBlobs,
  ended_at: number,
  times: AccountTimes,
  now: number,
  { leftovers_ms, sources_ms, used_parts_ms }: RenderAges,
): boolean => {
  // What a render is made of is stored before its end: a broker whose clock was behind makes it no older.
  const isWithin = (age_ms: number): boolean => Math.max(ended_at, stored_at) > now - age_ms;
  const { retention } = times;
  if (kind === 'used_parts') return isWithin(used_parts_ms);
  if (kind === 'media' || path === composition)
    return isWithin(typeof retention?.media === 'number' ? retention.media * DAY_MS : sources_ms);
  // Later than clients are told that they are gone, so that URLs from before are good for as long as they say.
  if (outputs.has(path)) return areOutputsKept(stored_at, ended_at, times, now - leftovers_ms);
  return path === request;
};

/**
 * Whether a blob of a render may be deleted. That stays so once it is: it does not matter who decides it, how late it is
 * done, or how often.
 *
 * A payload is stored at a path of its own, and the event that refers to it is appended within minutes, or never. So what
 * was stored an age before the time up to which its partition of the log is folded has its event in the read model, if there is one. That
 * time is of the read model itself: while it is behind or folded anew, nothing new may go.
 *
 * @param render null where the read model has none
 * @param now ms: up to when its partition is folded, and no later than any clock says; see `FoldedRenders`, `TrustedTime`
 */
export const mayGo = (
  blob: RenderBlob,
  render: RenderBlobs | null,
  times: AccountTimes,
  now: number,
  ages: RenderAges,
): boolean => {
  if (blob.stored_at > now - ages.leftovers_ms) return false;
  // A POST that never came to its event; another with the same key has a payload of its own. Whatever else a render has is
  // made after its event was folded: where that is gone the log has lost something, which may be found again.
  if (render === null) return blob.kind === 'requests';
  // All but what says which parts it used is deleted with its erasure; that, once no worker can store one of them any more.
  if (render.erased_at !== null) return blob.kind === 'used_parts' && render.erased_at <= now - ages.leftovers_ms;
  // Before that, its request may still be prepared, or an attempt be accepted.
  if (render.ended_at === null) return false;
  return !isKept(blob, render, render.ended_at, times, now, ages);
};
