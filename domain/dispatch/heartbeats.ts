import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';

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
