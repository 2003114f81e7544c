import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';

/** A client requested a render. The event pins the project's version; the payload has the values. */
export const RenderRequested = t.strict({
  type: t.literal('RenderRequested'),
  meta: Meta,
  render_id: t.string,
  /** The version of `evolve` that folds this render for its whole life. */
  fold_version: Integer,
  /** Empty since fold version 3: a name may identify a person, so the request's payload has it. */
  name: t.string,
  account_id: t.string,
  team_id: t.string,
  project_id: t.string,
  project_version: Integer,
  template_id: nullable(t.string),
  render_type: t.string,
  created_by: nullable(t.string),
  /** The name and the template's given values. Before fold version 3, null if there are no values. */
  request: nullable(PayloadRef),
  /**
   * Keyed hash of the whole request, to distinguish a repeat from a different request. Null without an Idempotency-Key.
   */
  request_hash: nullable(t.string),
  /** The price, reserved until the render ends. Credits. */
  reserved_credits: Integer,
  /** The `nameHash` of the name in the payload; null if the event itself has the name. */
  name_sha256: nullable(t.string),
  /**
   * Whether the client requested a draft; null in events from before drafts. The preparer reads the payload instead.
   */
  draft: nullable(t.boolean),
});
export type RenderRequested = t.TypeOf<typeof RenderRequested>;

export const Prepared = t.strict({
  composition: PayloadRef,
  /** The credits that the completion charges. */
  price_credits: Integer,
  width: Integer,
  height: Integer,
  fps_num: Integer,
  fps_den: Integer,
  frames: Integer,
});
export type Prepared = t.TypeOf<typeof Prepared>;

/** The final composition exists and can be rendered. */
export const RenderPrepared = t.strict({
  type: t.literal('RenderPrepared'),
  meta: Meta,
  render_id: t.string,
  ...Prepared.type.props,
});
export type RenderPrepared = t.TypeOf<typeof RenderPrepared>;

/** The dispatcher assigned attempt number `n` to a worker. */
export const RenderAssigned = t.strict({
  type: t.literal('RenderAssigned'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  n: Integer,
  worker_id: t.string,
});
export type RenderAssigned = t.TypeOf<typeof RenderAssigned>;

/** An attempt ended without a result; `reason` is a `LossReason`. */
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
  /** Wall-clock time of the encoder. */
  engine_ms: Integer,
  /** How many of the frames came from the segment cache; null from older workers. */
  frames_cached: nullable(Integer),
});
export type RenderingFinished = t.TypeOf<typeof RenderingFinished>;

/** One stored file. `sha256` is the hash of its bytes, in lowercase hex. */
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

/** Everything is stored. The price is in `RenderPrepared`; the fold charges it, independent of the worker. */
export const RenderCompleted = t.strict({
  type: t.literal('RenderCompleted'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  /** The first output is the master. */
  outputs: t.array(Output),
  poster: nullable(Output),
});
export type RenderCompleted = t.TypeOf<typeof RenderCompleted>;

/** `message` names a field, never its value. */
export const Failure = t.strict({
  /** `preparation`, `dispatch`, `rendering` or `storing`. */
  stage: t.string,
  code: t.string,
  message: t.string,
  field: nullable(t.string),
});
export type Failure = t.TypeOf<typeof Failure>;

/** The render has ended without a result. */
export const RenderFailed = t.strict({
  type: t.literal('RenderFailed'),
  meta: Meta,
  render_id: t.string,
  /** Null from the preparer, the dispatcher and a cancellation, which have no attempt. */
  attempt_id: nullable(t.string),
  ...Failure.type.props,
});
export type RenderFailed = t.TypeOf<typeof RenderFailed>;

/** Erases the render's texts, outputs and everything derived from them. Its charge remains. */
export const RenderErased = t.strict({
  type: t.literal('RenderErased'),
  meta: Meta,
  render_id: t.string,
});
export type RenderErased = t.TypeOf<typeof RenderErased>;

/** Every event type of `render-events`. */
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
