import type { AccountRetention } from '../../domain/catalogue/entities.ts';
import { outputsGoneUntil } from '../../domain/catalogue/retention.ts';
import type { RenderBlobs } from '../../read-models/renders/render-blobs.ts';
import type { RenderBlobKind } from '../../schemas/blobs/paths.ts';

export type RenderAges = {
  /** Age of blobs to which nothing refers, ms. */
  readonly leftovers_ms: number;
  /** Age of inputs of a render after its end, if its account has no setting, ms. */
  readonly sources_ms: number;
  /** Age of the list of used parts after the end of the render, ms: at least as long as the parts may exist. */
  readonly used_parts_ms: number;
};

export type RenderBlob = { readonly path: string; readonly kind: RenderBlobKind; readonly stored_at: number };

/** Settings of the account of a render. */
export type AccountTimes = {
  /** Null if the account has no setting. */
  readonly retention: AccountRetention | null;
  /** Outputs of renders that ended after this time (ms) stay; see `OutputLimits`. */
  readonly outputs_until: number;
};

const DAY_MS = 86_400_000;

/**
 * Whether the outputs of a render are kept. The brokers' clock dates its end, and the clock of Blob its outputs. The
 * age that the account has set must have passed by both.
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

/** For an ended render. */
const isKept = (
  { path, kind, stored_at }: RenderBlob,
  { request, outputs, composition }: RenderBlobs,
  ended_at: number,
  times: AccountTimes,
  now: number,
  { leftovers_ms, sources_ms, used_parts_ms }: RenderAges,
): boolean => {
  // Inputs are stored before the end of the render, so a broker whose clock was behind makes them no older.
  const isWithin = (age_ms: number): boolean => Math.max(ended_at, stored_at) > now - age_ms;
  const { retention } = times;
  if (kind === 'used_parts') return isWithin(used_parts_ms);
  if (kind === 'media' || path === composition)
    return isWithin(typeof retention?.media === 'number' ? retention.media * DAY_MS : sources_ms);
  // Later than the expiry that clients see, so that URLs from before stay valid for their whole time.
  if (outputs.has(path)) return areOutputsKept(stored_at, ended_at, times, now - leftovers_ms);
  return path === request;
};

/**
 * Whether a blob of a render may be deleted. Once true, it stays true, so it does not matter which process decides it,
 * how late the deletion is, or how often it is repeated.
 *
 * A payload has a path of its own, and the event that refers to it is appended within minutes or never. So the event of an old enough payload is in the read model, if there is one. Old enough means one age before the time up to which the partition is folded. The read model gives that time, so nothing new is deleted while it is behind or
 * rebuilt.
 * @param render null if the read model has none
 * @param now ms: the time up to which its partition is folded, and not after any clock; see `RenderBlobsSnapshot`,
 * `TrustedTime`
 */
export const mayDelete = (
  blob: RenderBlob,
  render: RenderBlobs | null,
  times: AccountTimes,
  now: number,
  ages: RenderAges,
): boolean => {
  if (blob.stored_at > now - ages.leftovers_ms) return false;
  // A POST without an event. A repeat with the same key has a payload of its own. All other blobs of a
  // render are stored after its event was folded. If the render is missing, the log has lost data, which may return.
  if (render === null) return blob.kind === 'requests';
  // The erasure of the render deletes everything except the list of used parts. That list is deleted when no worker can
  // store one of them.
  if (render.erased_at !== null) return blob.kind === 'used_parts' && render.erased_at <= now - ages.leftovers_ms;
  // Before that, its request may still be prepared, or an attempt may be accepted.
  if (render.ended_at === null) return false;
  return !isKept(blob, render, render.ended_at, times, now, ages);
};
