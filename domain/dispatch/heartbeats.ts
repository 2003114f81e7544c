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

/** The cost of an attempt that ended with a fault of its render, or with its cancellation. */
export const FailedAttempt = t.strict({
  attempt_id: t.string,
  account_id: t.string,
  cpu_ms: Integer,
});
export type FailedAttempt = t.TypeOf<typeof FailedAttempt>;

/** Consecutive segments of a film, [from, until), counted from 0. */
export const SegmentSpan = t.strict({ from: Integer, until: Integer });
export type SegmentSpan = t.TypeOf<typeof SegmentSpan>;

/**
 * A film with more segments than its worker encodes at once. Other workers may encode segments into the account's
 * cache.
 */
export const HelpWanted = t.strict({
  render_id: t.string,
  attempt_id: t.string,
  account_id: t.string,
  project_id: t.string,
  composition: PayloadRef,
  /** The hash over the cache keys of all segments: an engine with other keys cannot help. */
  parts_sha256: t.string,
  /** Segments without an encoder, as far as the film's worker knows. */
  lacking: t.array(SegmentSpan),
});
export type HelpWanted = t.TypeOf<typeof HelpWanted>;

/** A worker's help with another worker's film. */
export const Help = t.strict({
  attempt_id: t.string,
  /** The segments that the worker took, in its order. If several workers took one, the first in the log has it. */
  taken: t.array(SegmentSpan),
  /** The segments that are in the cache. */
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
  /** A draining worker accepts no new attempts. */
  draining: t.boolean,
  attempts: t.array(RunningAttempt),
  /** Attempts that failed in the last seconds. Several heartbeats repeat them, because one may be lost. */
  failed: t.array(FailedAttempt),
  /** Composition versions that its engine reads; empty from older workers. */
  engines: t.array(Integer),
  /**
   * Why the worker accepts no attempts now, as short codes such as `disk`. For older dispatchers, `slots` is then 0.
   */
  impediments: t.array(t.string),
  /** The worker's own attempts that others may help with. Older workers leave this and the next list empty. */
  wanted: t.array(HelpWanted),
  /** The worker's help for other workers. Help takes no slot, and ends when an attempt needs one. */
  helps: t.array(Help),
});
export type WorkerBeat = t.TypeOf<typeof WorkerBeat>;

/**
 * A machine that gets no attempts for a time after several consecutive losses. Its id is an eight-digit hash, or the id
 * of an older worker.
 */
export const SetAside = t.strict({
  machine_id: t.string,
  losses: Integer,
  /** Time from this heartbeat until the machine gets another attempt. */
  left_ms: Integer,
});
export type SetAside = t.TypeOf<typeof SetAside>;

/** The active dispatcher's own heartbeat. A worker's silence counts only while these heartbeats come back. */
export const DispatcherBeat = t.strict({
  type: t.literal('DispatcherBeat'),
  meta: Meta,
  dispatcher_id: t.string,
  beat: Integer,
  /** For operators; the list is bounded. */
  set_aside: t.array(SetAside),
});
export type DispatcherBeat = t.TypeOf<typeof DispatcherBeat>;

export type Heartbeat = WorkerBeat | DispatcherBeat;
