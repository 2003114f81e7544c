import type { AccountRetention } from '../../domain/catalogue/entities.ts';
import { outputsDeletedUntil } from '../../domain/catalogue/retention.ts';
import type { RenderBlobs } from '../../read-models/renders/render-blobs.ts';
import type { RenderBlobKind } from '../../schemas/blobs/paths.ts';

export type RenderAges = {
  readonly leftovers_ms: number;
  /** How long a render's inputs stay after its end if the account has no setting, in ms. */
  readonly sources_ms: number;
  /** How long the list of used parts stays after the render's end, in ms. The list must outlive the parts. */
  readonly used_parts_ms: number;
};

export type RenderBlob = { readonly path: string; readonly kind: RenderBlobKind; readonly stored_at: number };

export type AccountDeletionTimes = {
  readonly retention: AccountRetention | null;
  /** Outputs of renders that ended after this time (ms) stay; see `OutputLimits`. */
  readonly outputs_until: number;
};

const DAY_MS = 86_400_000;

/**
 * Whether outputs stay. The render's end has a time of the broker, the outputs have one of the blob store. The
 * retention must have passed by both clocks.
 */
const areOutputsKept = (
  stored_at: number,
  ended_at: number,
  { retention, outputs_until }: AccountDeletionTimes,
  before: number,
): boolean => {
  if (ended_at > Math.min(outputsDeletedUntil(retention, before), outputs_until)) return true;
  const age_ms = typeof retention?.outputs === 'number' ? retention.outputs * DAY_MS : 0;
  return stored_at > before - age_ms;
};

const isKept = (
  { path, kind, stored_at }: RenderBlob,
  { request, outputs, composition }: RenderBlobs,
  ended_at: number,
  times: AccountDeletionTimes,
  now: number,
  { leftovers_ms, sources_ms, used_parts_ms }: RenderAges,
): boolean => {
  // Uses the later of the two times, because inputs are stored before the end of the render. A broker whose clock was
  // behind must not make them older.
  const isWithin = (age_ms: number): boolean => Math.max(ended_at, stored_at) > now - age_ms;
  const { retention } = times;
  if (kind === 'used_parts') return isWithin(used_parts_ms);
  if (kind === 'media' || path === composition)
    return isWithin(typeof retention?.media === 'number' ? retention.media * DAY_MS : sources_ms);
  // Outputs are deleted `leftovers_ms` later than the expiry that clients see, so that URLs that were signed before
  // stay valid for their whole time.
  if (outputs.has(path)) return areOutputsKept(stored_at, ended_at, times, now - leftovers_ms);
  return path === request;
};

/**
 * Whether a blob of a render may be deleted. A true result stays true, so late or repeated deletions are safe.
 *
 * A payload has a unique path, and its event is appended within minutes or never. So the read model has the event of
 * any payload that is older than `leftovers_ms`. Ages count back from the time up to which the partition is folded. So
 * nothing new is deleted while the read model is behind or rebuilt.
 * @param render null if the read model has none
 * @param now ms: the time up to which the partition is folded, and not after any clock; see `RenderBlobsSnapshot`,
 * `TrustedTime`
 */
export const isDeletable = (
  blob: RenderBlob,
  render: RenderBlobs | null,
  times: AccountDeletionTimes,
  now: number,
  ages: RenderAges,
): boolean => {
  if (blob.stored_at > now - ages.leftovers_ms) return false;
  // A request payload without a render belongs to a POST whose event was not appended; a repeat with the same key has
  // another payload. Other blobs are stored after the event was folded, so without a render the log has lost data,
  // which may return.
  if (render === null) return blob.kind === 'requests';
  // The erasure itself deletes everything except the list of used parts. The list is deleted when no worker can store
  // one of the parts any longer.
  if (render.erased_at !== null) return blob.kind === 'used_parts' && render.erased_at <= now - ages.leftovers_ms;
  // Before the render's end, nothing is deleted: the request may still be prepared, or an attempt may be accepted.
  if (render.ended_at === null) return false;
  return !isKept(blob, render, render.ended_at, times, now, ages);
};
