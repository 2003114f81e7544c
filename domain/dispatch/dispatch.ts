import type { ENVIRONMENT_CODE } from '../render/environment.ts';
import type { Render } from '../render/render.ts';
import type { EnvironmentWait } from './environment-wait.ts';
import type { RunningAttempt, WorkerBeat } from './heartbeats.ts';
import type { SilenceClock } from './liveness.ts';
import type { LossStreaks } from './set-aside.ts';

/**
 * The state of the active dispatcher; mutable. All times are from the monotonic clock of its process, ms.
 *
 * The state may be wrong or outdated: the fold judges every append, and only accepted events count. Two concurrent
 * dispatchers, or one after a long pause, only waste work.
 */
export type DispatchState = {
  readonly renders: ReadonlyMap<string, OpenRender>;
  readonly workers: ReadonlyMap<string, KnownWorker>;
  readonly ended: ReadonlyMap<string, FinishedAttempt>;
  readonly clock: SilenceClock;
  readonly streaks: LossStreaks;
  /**
   * When a worker last appeared or recovered. A loss before this time no longer delays a render, if a better worker can
   * avoid its reason.
   */
  readonly improved_at: number;
  /** False until every open render was read. Until then, the dispatcher makes no decisions. */
  readonly loaded: boolean;
};

export type FinishedAttempt = {
  readonly at: number;
  readonly is_cancelled: boolean;
};

export type OpenRender = {
  readonly render: Render;
  /** Offset in `render-events` of the last event that `render` includes. */
  readonly offset: number;
  /** The `event_id` of the last seen event, which is the cause of the next decision. */
  readonly cause: string | null;
  /** The append for this render that was not read back yet. */
  readonly pending: PendingDecision | null;
  /** No assignment before this time: back-off after a loss, or after a failed append of an assignment. */
  readonly not_before: number;
  /** The append of the last assignment failed: the log does not accept events of this render now. */
  readonly put_off: boolean;
  readonly wait: EnvironmentWait | null;
  /** Engine versions that could not read the render, also of workers that are gone. */
  readonly unreadable_by: readonly number[];
  readonly watch: AttemptWatch | null;
};

export type PendingDecision =
  | {
      readonly kind: 'assign';
      readonly attempt_id: string;
      readonly n: number;
      readonly worker_id: string;
      readonly since: number;
      readonly look_ups: number;
    }
  | { readonly kind: 'lose'; readonly attempt_id: string; readonly since: number }
  | { readonly kind: 'fail'; readonly attempts: number; readonly since: number };

export type AttemptWatch = {
  readonly attempt_id: string;
  readonly command: 'due' | 'sending' | 'sent';
  /** When the log had the command, or when the last heartbeat showed the attempt. The silence timeout starts here. */
  readonly seen_at: number | null;
  readonly shown: boolean;
};

export type KnownWorker = {
  readonly worker_id: string;
  readonly machine: string;
  readonly beat: number;
  readonly slots: number;
  readonly draining: boolean;
  readonly attempts: readonly RunningAttempt[];
  readonly engines: readonly number[];
  readonly impediments: readonly string[];
  readonly last_heartbeat_at: number;
  /** True until the dispatcher has compared the attempts in the last heartbeat with its open renders. */
  readonly unread: boolean;
};

export type Observation =
  | {
      readonly tag: 'render_seen';
      readonly render: Render;
      readonly offset: number;
      readonly event_id: string | null;
      /** The actor of the event; null if the event was not read from the log. */
      readonly actor: string | null;
      /** How long ago attempts were lost, ms, by attempt id; a missing attempt was lost just now. */
      readonly lost_ago?: ReadonlyMap<string, number>;
    }
  | { readonly tag: 'loaded' }
  | { readonly tag: 'worker_heartbeat'; readonly beat: WorkerBeat }
  | { readonly tag: 'own_heartbeat'; readonly sent_at: number }
  | { readonly tag: 'command_sent'; readonly render_id: string; readonly attempt_id: string }
  | { readonly tag: 'not_assigned'; readonly render_id: string; readonly attempt_id: string };

export type FailureCode = 'attempts_exhausted' | typeof ENVIRONMENT_CODE;

export type StopRequest = {
  readonly tag: 'stop';
  readonly worker_id: string;
  readonly render_id: string;
  readonly attempt_id: string;
  /** True if the render was cancelled: the cost of the attempt then counts as failed work. */
  readonly is_cancelled: boolean;
};

/** The caller repeats each action until it succeeds, or until the dispatcher loses ownership. */
export type DispatchAction =
  | {
      readonly tag: 'assign';
      readonly render: Render;
      readonly attempt_id: string;
      readonly n: number;
      readonly worker_id: string;
      readonly cause: string | null;
    }
  | {
      readonly tag: 'start';
      readonly render: Render;
      readonly attempt_id: string;
      readonly n: number;
      readonly worker_id: string;
      readonly cause: string | null;
    }
  | StopRequest
  | {
      readonly tag: 'lose';
      readonly render: Render;
      readonly attempt_id: string;
      readonly reason: 'crashed' | 'never_started';
      readonly cause: string | null;
    }
  | {
      readonly tag: 'fail';
      readonly render: Render;
      readonly code: FailureCode;
      readonly message: string;
      readonly cause: string | null;
    }
  | { readonly tag: 'look_up'; readonly render_id: string };
