import type { ENVIRONMENT_CODE } from '../render/environment.ts';
import type { Render } from '../render/render.ts';
import type { EnvironmentWait } from './environment-wait.ts';
import type { RunningAttempt, WorkerBeat } from './heartbeats.ts';
import type { OwnClock } from './liveness.ts';
import type { Streaks } from './set-aside.ts';

/**
 * What the active dispatcher knows: a view that goes on changing. All times are of one monotonic clock of its process, ms.
 *
 * It may be wrong or late in everything: whatever it appends is judged by the fold, and only what it reads back as
 * accepted counts. So two dispatchers at once, or one that has slept, waste work at worst.
 */
export type Dispatch = {
  /** Renders that are prepared and not final. */
  readonly renders: ReadonlyMap<string, OpenRender>;
  readonly workers: ReadonlyMap<string, Worker>;
  /** Attempts that have ended: a worker that still runs one gets `StopAttempt`. */
  readonly ended: ReadonlyMap<string, Ended>;
  readonly clock: OwnClock;
  /** Attempts that machines have lost in a row. */
  readonly streaks: Streaks;
  /** When a worker came, or was well again: renders need not wait any longer for what others had lost them for. */
  readonly improved_at: number;
  /** False until every open render has been seen: nothing is decided before. */
  readonly loaded: boolean;
};

export type Ended = {
  /** When this was learnt. */
  readonly at: number;
  /** Its render was cancelled while it was open. */
  readonly is_cancelled: boolean;
};

export type OpenRender = {
  readonly render: Render;
  /** Offset in `render-events` of the last event that `render` includes. */
  readonly offset: number;
  /** `event_id` of the event that was seen last: the cause of what is decided next. */
  readonly cause: string | null;
  /** What was appended for this render and has not been read back. */
  readonly pending: Pending | null;
  /** Not to be assigned before: back-off after a loss, or after an assignment that could not be appended. */
  readonly not_before: number;
  /** The last assignment could not be appended: the log does not take events of this render now. */
  readonly put_off: boolean;
  /** Since when the environment keeps it waiting; null where it does not. */
  readonly wait: EnvironmentWait | null;
  /** Versions of engines that could not read it, of workers that may be gone. */
  readonly unreadable_by: readonly number[];
  /** How the open attempt is doing; null without one. */
  readonly watch: Watch | null;
};

export type Pending =
  | {
      readonly kind: 'assign';
      readonly attempt_id: string;
      readonly n: number;
      readonly worker_id: string;
      readonly since: number;
      /** How often it was looked up and not found. */
      readonly look_ups: number;
    }
  | { readonly kind: 'lose'; readonly attempt_id: string; readonly since: number }
  | { readonly kind: 'fail'; readonly attempts: number; readonly since: number };

export type Watch = {
  readonly attempt_id: string;
  /** `StartAttempt`: to be sent, being sent, or in the log. */
  readonly command: 'due' | 'sending' | 'sent';
  /** When the command was in the log, or the attempt last shown by a heartbeat. The clock of the attempt starts here. */
  readonly seen_at: number | null;
  /** Whether any heartbeat ever showed it. */
  readonly shown: boolean;
};

export type Worker = {
  readonly worker_id: string;
  readonly machine: string;
  readonly beat: number;
  readonly slots: number;
  readonly draining: boolean;
  readonly attempts: readonly RunningAttempt[];
  readonly engines: readonly number[];
  readonly impediments: readonly string[];
  readonly last_heartbeat_at: number;
  /** True until what the last heartbeat shows has been looked at. */
  readonly unread: boolean;
};

/** What can happen to a dispatcher. */
export type Observation =
  /** From `render-status`, from the read model at the start, or from a look-up. */
  | {
      readonly tag: 'render_seen';
      readonly render: Render;
      readonly offset: number;
      readonly event_id: string | null;
      /** Who appended the event; null where it was not read from the log. */
      readonly actor: string | null;
      /** How long ago attempts were lost, ms, by id; those that are missing, just now. */
      readonly lost_ago?: ReadonlyMap<string, number>;
    }
  | { readonly tag: 'loaded' }
  | { readonly tag: 'worker_heartbeat'; readonly beat: WorkerBeat }
  | { readonly tag: 'own_heartbeat'; readonly sent_at: number }
  | { readonly tag: 'command_sent'; readonly render_id: string; readonly attempt_id: string }
  /** The assignment is surely not in the log. */
  | { readonly tag: 'not_assigned'; readonly render_id: string; readonly attempt_id: string };

/** By which a dispatcher fails a render. */
export type FailureCode = 'attempts_exhausted' | typeof ENVIRONMENT_CODE;

export type Stop = {
  readonly tag: 'stop';
  readonly worker_id: string;
  readonly render_id: string;
  readonly attempt_id: string;
  /** What was done for it then counts as failed work. */
  readonly is_cancelled: boolean;
};

/** What a dispatcher does. Each is done until it is known to be done, or until ownership is lost. */
export type Action =
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
  | Stop
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
  /** Read this render from the read model and observe it. */
  | { readonly tag: 'look_up'; readonly render_id: string };
