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

/** The cost of an attempt that failed by a fault of its render, or that was cancelled. */
export const FailedAttempt = t.strict({
  attempt_id: t.string,
  account_id: t.string,
  cpu_ms: Integer,
});
export type FailedAttempt = t.TypeOf<typeof FailedAttempt>;

export const SegmentSpan = t.strict({ from: Integer, until: Integer });
export type SegmentSpan = t.TypeOf<typeof SegmentSpan>;

/**
 * A video with more segments than its worker encodes at once, so other workers may encode some of them into the
 * account's cache.
 */
export const HelpWanted = t.strict({
  render_id: t.string,
  attempt_id: t.string,
  account_id: t.string,
  project_id: t.string,
  composition: PayloadRef,
  parts_sha256: t.string,
  /** Segments that no worker encodes, as far as the video's own worker knows. */
  lacking: t.array(SegmentSpan),
});
export type HelpWanted = t.TypeOf<typeof HelpWanted>;

export const Help = t.strict({
  attempt_id: t.string,
  taken: t.array(SegmentSpan),
  stored: t.array(SegmentSpan),
});
export type Help = t.TypeOf<typeof Help>;

/** The heartbeat of a worker with the attempts that it runs, every two seconds. */
export const WorkerBeat = t.strict({
  type: t.literal('WorkerBeat'),
  meta: Meta,
  worker_id: t.string,
  /** Counts from 1 for each worker id. */
  beat: Integer,
  slots: Integer,
  draining: t.boolean,
  attempts: t.array(RunningAttempt),
  /** Attempts that failed in the last seconds. Several heartbeats repeat them, because one may be lost. */
  failed: t.array(FailedAttempt),
  /** Composition versions that the worker's engine reads; empty from older workers. */
  engines: t.array(Integer),
  /**
   * Why the worker accepts no attempts now, as short codes such as `disk`. `slots` is then 0, for older dispatchers.
   */
  impediments: t.array(t.string),
  /** The worker's own attempts that others may help with; empty from older workers. */
  wanted: t.array(HelpWanted),
  helps: t.array(Help),
});
export type WorkerBeat = t.TypeOf<typeof WorkerBeat>;

/**
 * A machine that gets no attempts for a time after several consecutive losses. `machine_id` is an eight-digit hash, or
 * the id of an older worker.
 */
export const SetAside = t.strict({
  machine_id: t.string,
  losses: Integer,
  left_ms: Integer,
});
export type SetAside = t.TypeOf<typeof SetAside>;

/**
 * The active dispatcher's own heartbeat. A worker's silence counts only while the dispatcher reads its own heartbeats
 * back.
 */
export const DispatcherBeat = t.strict({
  type: t.literal('DispatcherBeat'),
  meta: Meta,
  dispatcher_id: t.string,
  beat: Integer,
  set_aside: t.array(SetAside),
});
export type DispatcherBeat = t.TypeOf<typeof DispatcherBeat>;

export type Heartbeat = WorkerBeat | DispatcherBeat;
