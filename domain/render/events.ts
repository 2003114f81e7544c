import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { PayloadRef } from '../event/payload.ts';

/** A client asked for a render. The project's version is pinned here; values are in the payload. */
export const RenderRequested = t.strict({
  type: t.literal('RenderRequested'),
  meta: Meta,
  render_id: t.string,
  /** The version of `evolve` that folds this render all its life. */
  fold_version: Integer,
  /** Empty since fold version 3: it may name a person, so it is in the payload of the request. */
  name: t.string,
  account_id: t.string,
  team_id: t.string,
  project_id: t.string,
  project_version: Integer,
  template_id: nullable(t.string),
  render_type: t.string,
  created_by: nullable(t.string),
  /** The name, and the template's values as given; null before fold version 3 where there are no values. */
  request: nullable(PayloadRef),
  /** Keyed hash of the whole request, to tell a repeat from another request; null without an Idempotency-Key. */
  request_hash: nullable(t.string),
  /** Price that is held back until the render ends. Credits. */
  reserved_credits: Integer,
  /** Of the name in the payload, `nameHash`; null where the name is the event's own. */
  name_sha256: nullable(t.string),
  /** Whether a small, cheap one was asked for; null before there were drafts. What the preparer goes by is in the payload. */
  draft: nullable(t.boolean),
});
export type RenderRequested = t.TypeOf<typeof RenderRequested>;

export const Prepared = t.strict({
  composition: PayloadRef,
  /** Credits that the completion will charge. */
  price_credits: Integer,
  width: Integer,
  height: Integer,
  fps_num: Integer,
  fps_den: Integer,
  frames: Integer,
});
export type Prepared = t.TypeOf<typeof Prepared>;

/** The final composition exists, and can be rendered. */
export const RenderPrepared = t.strict({
  type: t.literal('RenderPrepared'),
  meta: Meta,
  render_id: t.string,
  ...Prepared.type.props,
});
export type RenderPrepared = t.TypeOf<typeof RenderPrepared>;

/** The dispatcher gave attempt number `n` to a worker. */
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
  /** For operators: a short code such as `disk_full`; never text of a client or of a program. */
  detail: nullable(t.string),
});
export type AttemptLost = t.TypeOf<typeof AttemptLost>;

/** The first progress report of an attempt. Later ones travel in heartbeats only. */
export const RenderProgressed = t.strict({
  type: t.literal('RenderProgressed'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  frames_done: Integer,
  frames_total: Integer,
});
export type RenderProgressed = t.TypeOf<typeof RenderProgressed>;

/** All frames are encoded; storing and charging begin. */
export const RenderingFinished = t.strict({
  type: t.literal('RenderingFinished'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  frames: Integer,
  /** Wall-clock time of the encoder. */
  engine_ms: Integer,
  /** Of the frames, those that the segment cache had; null from workers that do not say. */
  frames_cached: nullable(Integer),
});
export type RenderingFinished = t.TypeOf<typeof RenderingFinished>;

/** One stored file. `sha256` is that of its bytes, in lowercase hex. */
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

/** Everything is stored. What it costs stands in `RenderPrepared`; the fold charges that, whatever a worker thinks. */
export const RenderCompleted = t.strict({
  type: t.literal('RenderCompleted'),
  meta: Meta,
  render_id: t.string,
  attempt_id: t.string,
  /** The first is the master. */
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

/** The render stopped for good. */
export const RenderFailed = t.strict({
  type: t.literal('RenderFailed'),
  meta: Meta,
  render_id: t.string,
  /** Null from the preparer and the dispatcher, which hold no attempt. */
  attempt_id: nullable(t.string),
  ...Failure.type.props,
});
export type RenderFailed = t.TypeOf<typeof RenderFailed>;

/** The render is forgotten: its texts, its outputs and all that was made of them. What it has cost stays. */
export const RenderErased = t.strict({
  type: t.literal('RenderErased'),
  meta: Meta,
  render_id: t.string,
});
export type RenderErased = t.TypeOf<typeof RenderErased>;

/** Everything that may stand in `render-events`. */
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
