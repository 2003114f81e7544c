import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { PayloadRef } from '../event/payload.ts';

export const RunningAttempt = t.strict({
  render_id: t.string,
  attempt_id: t.string,
  /** `fetching`, `rendering` or `storing`. */
  stage: t.string,
  frames_done: Integer,
  frames_total: Integer,
});
export type RunningAttempt = t.TypeOf<typeof RunningAttempt>;

/** An attempt that ended with a fault of its render, or was cancelled with it, and what it took. */
export const FailedAttempt = t.strict({
  attempt_id: t.string,
  account_id: t.string,
  cpu_ms: Integer,
});
export type FailedAttempt = t.TypeOf<typeof FailedAttempt>;

/** Neighbouring segments of a film, [from, until), counted from 0. */
export const SegmentSpan = t.strict({ from: Integer, until: Integer });
export type SegmentSpan = t.TypeOf<typeof SegmentSpan>;

/** A film of which others may encode parts into the cache of its account: it has more of them than its worker does at once. */
export const HelpWanted = t.strict({
  render_id: t.string,
  attempt_id: t.string,
  account_id: t.string,
  project_id: t.string,
  composition: PayloadRef,
  /** Of the cache keys of all parts: an engine that makes others is of no help. */
  parts_sha256: t.string,
  /** Segments that nobody has begun, as far as the film's worker knows. */
  lacking: t.array(SegmentSpan),
});
export type HelpWanted = t.TypeOf<typeof HelpWanted>;

/** What a worker encodes of the film of another one. */
export const Help = t.strict({
  attempt_id: t.string,
  /** Which segments it took, in the order in which it did; where several took one, the first in the log has it. */
  taken: t.array(SegmentSpan),
  /** Those whose parts are in the cache. */
  stored: t.array(SegmentSpan),
});
export type Help = t.TypeOf<typeof Help>;

/** A worker is alive, and these are the attempts it runs. Every two seconds. */
export const WorkerBeat = t.strict({
  type: t.literal('WorkerBeat'),
  meta: Meta,
  worker_id: t.string,
  /** Counts from 1 for each worker id. */
  beat: Integer,
  slots: Integer,
  /** A draining worker takes nothing new. */
  draining: t.boolean,
  attempts: t.array(RunningAttempt),
  /** Those of the last seconds: in several heartbeats, as one may be lost. */
  failed: t.array(FailedAttempt),
  /** Versions of compositions that its engine reads; empty from older workers, which do not say. */
  engines: t.array(Integer),
  /** Why it takes nothing new for now, by short codes such as `disk`; `slots` is 0 meanwhile, for older dispatchers. */
  impediments: t.array(t.string),
  /** Of its attempts, those that others may help with. Empty from older workers, like the next. */
  wanted: t.array(HelpWanted),
  /** What it does for other workers: it takes no slot, and ends where an attempt needs one. */
  helps: t.array(Help),
});
export type WorkerBeat = t.TypeOf<typeof WorkerBeat>;

/** A machine that lost several attempts in a row and gets none for a while: an eight-digit hash, or an older worker's id. */
export const SetAside = t.strict({
  machine_id: t.string,
  losses: Integer,
  /** Time until it gets another one, from this heartbeat on. */
  left_ms: Integer,
});
export type SetAside = t.TypeOf<typeof SetAside>;

/** The active dispatcher's own heartbeat: while these come back, silence of a worker means something. */
export const DispatcherBeat = t.strict({
  type: t.literal('DispatcherBeat'),
  meta: Meta,
  dispatcher_id: t.string,
  beat: Integer,
  /** For operators; a bounded number of them. */
  set_aside: t.array(SetAside),
});
export type DispatcherBeat = t.TypeOf<typeof DispatcherBeat>;

export type Heartbeat = WorkerBeat | DispatcherBeat;
