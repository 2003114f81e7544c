import type { RenderBlobs } from '../../read-models/renders/render-blobs.ts';
import type { RenderBlobKind } from '../../schemas/blobs/paths.ts';

export type RenderAges = {
  /** Of what nothing refers to, ms. */
  readonly leftovers_ms: number;
  /** Of what a render was made of, after its end, ms. */
  readonly sources_ms: number;
  /** Of what says which parts were used, after its end, ms: as long as there may be any of them. */
  readonly used_parts_ms: number;
};

export type RenderBlob = { readonly path: string; readonly kind: RenderBlobKind; readonly stored_at: number };

/**
 * Whether a blob of a render may be deleted. That stays so once it is: it does not matter who decides it, how late it is
 * done, or how often.
 *
 * A payload is stored at a path of its own, and the event that refers to it is appended within minutes, or never. So what
 * was stored an age before the time up to which the log is folded has its event in the read model, if there is one. That
 * time is of the read model itself: while it is behind or folded anew, nothing new may go. (The clocks of Blob and of
 * the projectors may differ by nearly the age.)
 *
 * @param render null where the read model has none
 * @param folded_until ms; see `FoldedRenders`
 */
export const mayGo = (
  { path, kind, stored_at }: RenderBlob,
  render: RenderBlobs | null,
  folded_until: number,
  { leftovers_ms, sources_ms, used_parts_ms }: RenderAges,
): boolean => {
  if (stored_at > folded_until - leftovers_ms) return false;
  // A POST that never came to its event; another with the same key has a payload of its own. Whatever else a render has is
  // made after its event was folded: where that is gone the log has lost something, which may be found again.
  if (render === null) return kind === 'requests';
  // Before that, its request may still be prepared, or an attempt be accepted.
  if (render.ended_at === null) return false;
  if (kind === 'media' || path === render.composition) return render.ended_at <= folded_until - sources_ms;
  if (kind === 'used_parts') return render.ended_at <= folded_until - used_parts_ms;
  return !render.kept.has(path);
};
