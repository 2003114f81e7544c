import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';
import { Seal } from '../event/seal.ts';

/** Fixes the project's version for the whole life of the render. The payload has the values. */
export const RenderRequested = t.strict({
  type: t.literal('RenderRequested'),
  meta: Meta,
  render_id: t.string,
  /** The version of `evolve` that folds this render for its whole life. */
  fold_version: Integer,
  /** Empty since fold version 3: a name may identify a person, so only the payload or `sealed` has it. */
  name: t.string,
  account_id: t.string,
  team_id: t.string,
  project_id: t.string,
  project_version: Integer,
  template_id: nullable(t.string),
  render_type: t.string,
  created_by: nullable(t.string),
  /**
   * The name and the given values. Before fold version 3, null if there are no values. Since version 4, it has only
   * values that are too large for `sealed`, or is `SEALED_REQUEST`.
   */
  request: nullable(PayloadRef),
  /**
   * A keyed hash of the whole request, to distinguish a repeat from a different request. Null without an
   * Idempotency-Key.
   */
  request_hash: nullable(t.string),
  reserved_credits: Integer,
  /** The `nameHash` of the name in the payload; null if the event itself has the name. */
  name_sha256: nullable(t.string),
  /** Null in events that are older than drafts. For these, the preparer reads the payload. */
  draft: nullable(t.boolean),
  /** A `SealedText` with the name, and the values unless they are large. Null before fold version 4. */
  sealed: nullable(Seal),
});
export type RenderRequested = t.TypeOf<typeof RenderRequested>;

/**
 * The payload of a request whose values or draft are sealed. No blob has this path, so a preparer that does not know
 * `sealed` fails the render instead of rendering it without its values.
 */
export const SEALED_REQUEST: PayloadRef = { path: 'sealed', sha256: '' };

export const PreparedRender = t.strict({
  composition: PayloadRef,
  price_credits: Integer,
  width: Integer,
  height: Integer,
  fps_num: Integer,
  fps_den: Integer,
  frames: Integer,
});
export type PreparedRender = t.TypeOf<typeof PreparedRender>;

export const RenderPrepared = t.strict({
  type: t.literal('RenderPrepared'),
  meta: Meta,
  render_id: t.string,
  ...PreparedRender.type.props,
});
export type RenderPrepared = t.TypeOf<typeof RenderPrepared>;

export const RenderAssigned = t.strict({
  type: t.literal('RenderAssigned'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  n: Integer,
  worker_id: t.string,
});
export type RenderAssigned = t.TypeOf<typeof RenderAssigned>;

export const AttemptLost = t.strict({
  type: t.literal('AttemptLost'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  reason: t.string,
  /** For operators: a short code such as `disk_full`, never text from a client or program. */
  detail: nullable(t.string),
});
export type AttemptLost = t.TypeOf<typeof AttemptLost>;

/** The first progress report of an attempt. Only heartbeats have later ones. */
export const RenderProgressed = t.strict({
  type: t.literal('RenderProgressed'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  frames_done: Integer,
  frames_total: Integer,
});
export type RenderProgressed = t.TypeOf<typeof RenderProgressed>;

/** All frames are encoded; storage and charging follow. */
export const RenderingFinished = t.strict({
  type: t.literal('RenderingFinished'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  frames: Integer,
  engine_ms: Integer,
  /** How many of the frames came from the segment cache; null from older workers. */
  frames_cached: nullable(Integer),
});
export type RenderingFinished = t.TypeOf<typeof RenderingFinished>;

export const Output = t.strict({
  variant: t.string,
  path: t.string,
  content_type: t.string,
  size_bytes: Integer,
  sha256: t.string,
  width: Integer,
  height: Integer,
  duration_ms: Integer,
});
export type Output = t.TypeOf<typeof Output>;

/** All outputs are stored. The fold charges the price in `RenderPrepared`, so a worker cannot change it. */
export const RenderCompleted = t.strict({
  type: t.literal('RenderCompleted'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  outputs: t.array(Output),
  poster: nullable(Output),
});
export type RenderCompleted = t.TypeOf<typeof RenderCompleted>;

export const Failure = t.strict({
  /** `preparation`, `dispatch`, `rendering` or `storing`. */
  stage: t.string,
  code: t.string,
  message: t.string,
  field: nullable(t.string),
});
export type Failure = t.TypeOf<typeof Failure>;

export const RenderFailed = t.strict({
  type: t.literal('RenderFailed'),
  meta: Meta,
  render_id: t.string,
  /** Null if no attempt is at fault: from the preparer, from the dispatcher, and for a cancellation. */
  attempt_id: nullable(t.string),
  ...Failure.type.props,
});
export type RenderFailed = t.TypeOf<typeof RenderFailed>;

/** Erases the render's texts, its outputs and all data derived from them. Its charge remains. */
export const RenderErased = t.strict({
  type: t.literal('RenderErased'),
  meta: Meta,
  render_id: t.string,
});
export type RenderErased = t.TypeOf<typeof RenderErased>;

export type RenderEvent =
  | RenderRequested
  | RenderPrepared
  | RenderAssigned
  | AttemptLost
  | RenderProgressed
  | RenderingFinished
  | RenderCompleted
  | RenderFailed
  | RenderErased;

export const RENDER_EVENTS = {
  RenderRequested,
  RenderPrepared,
  RenderAssigned,
  AttemptLost,
  RenderProgressed,
  RenderingFinished,
  RenderCompleted,
  RenderFailed,
  RenderErased,
} as const;

export const isRenderEvent = (record: { readonly type: string }): record is RenderEvent =>
  Object.hasOwn(RENDER_EVENTS, record.type);
