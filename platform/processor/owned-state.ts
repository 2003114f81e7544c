import type { StopPartition } from '../event-log/event-log.ts';

/** `kept`: a rebalance kept the partition, but its task could not continue. */
type Opening =
  | { readonly why: 'assigned' | 'lost' | 'restarted' }
  | { readonly why: 'kept'; readonly was_stopped: boolean };

type OpenTask = {
  /** Number of the task. Calls of a former task have another number, and are ignored. */
  readonly id: number;
  readonly next: number;
  readonly unfinished: number;
};

/** One assignment of one partition to a processor. Only the subscription knows whether it is paused. */
export type AssignmentState = {
  readonly is_revoked: boolean;
  readonly opening: Opening | null;
  /** Null while the task is being opened, and if it could not be opened. */
  readonly task: OpenTask | null;
  /** Why the partition waits for an operator, or for a schema. */
  readonly stop: StopPartition | null;
};

export type AssignmentEvent =
  | { readonly tag: 'opened'; readonly task: number; readonly start: number }
  | { readonly tag: 'not_opened'; readonly stop: StopPartition }
  | { readonly tag: 'work_begun' | 'work_finished'; readonly task: number; readonly count: number }
  | { readonly tag: 'processed'; readonly task: number; readonly next: number }
  | { readonly tag: 'stopped'; readonly task: number; readonly stop: StopPartition }
  /** Another process has taken the partition. */
  | { readonly tag: 'lost'; readonly task: number }
  | { readonly tag: 'retry_asked' | 'revoked' };

export type AssignmentAction =
  | { readonly tag: 'pause' | 'resume' | 'hand_over' }
  | { readonly tag: 'seek' | 'restart'; readonly offset: number }
  | { readonly tag: 'stop'; readonly reason: string }
  | { readonly tag: 'reopen'; readonly after_ms: number }
  | { readonly tag: 'watch'; readonly stop: StopPartition }
  | { readonly tag: 'end_watch' | 'report_lost' | 'report_stopped' | 'report_restarted' };

type Transition = readonly [AssignmentState, readonly AssignmentAction[]];
type Event<Tag extends AssignmentEvent['tag']> = Extract<AssignmentEvent, { readonly tag: Tag }>;

/**
 * Pause before a lost partition is opened again. It gives the group time to revoke a partition that another process has
 * taken.
 */
const REOPEN_MS = 1_000;

/** Whether the subscription has stopped the partition, and waits for its restart. */
const awaitsRestart = ({ stop, opening }: AssignmentState): boolean =>
  stop !== null || opening?.why === 'restarted' || (opening?.why === 'kept' && opening.was_stopped);

/** @param before the state of the assignment that a rebalance kept, if its task could not continue */
export const newAssignment = (before: AssignmentState | null): AssignmentState => ({
  ...{ is_revoked: false, task: null, stop: null },
  opening: before === null ? { why: 'assigned' } : { why: 'kept', was_stopped: awaitsRestart(before) },
});

const stopped = (state: AssignmentState, stop: StopPartition): Transition => [
  { ...state, opening: null, stop },
  [
    ...(state.stop === null ? [] : [{ tag: 'end_watch' } as const]),
    { tag: 'report_stopped' },
    { tag: 'watch', stop },
    ...(stop.by_newer_code ? [{ tag: 'hand_over' } as const] : []),
  ],
];

const actionsOnOpening = (opening: Opening, start: number): readonly AssignmentAction[] => {
  switch (opening.why) {
    case 'assigned':
      return [];
    case 'lost':
      return [{ tag: 'seek', offset: start }, { tag: 'resume' }];
    case 'restarted':
      return [{ tag: 'restart', offset: start }];
    case 'kept':
      // The former task may have paused the partition.
      return [{ tag: 'resume' }, ...(opening.was_stopped ? [{ tag: 'restart', offset: start } as const] : [])];
  }
};

const opened = (state: AssignmentState, { task: id, start }: Event<'opened'>): Transition => {
  const { opening } = state;
  if (opening === null) return [state, []];
  return [{ ...state, opening: null, task: { id, next: start, unfinished: 0 } }, actionsOnOpening(opening, start)];
};

const notOpened = (state: AssignmentState, stop: StopPartition): Transition => {
  const { opening } = state;
  if (opening === null) return [state, []];
  const [next, actions] = stopped(state, stop);
  // After `assigned` and `kept`, the subscription waits for a position, and gets the stop as the answer.
  const is_unasked = opening.why === 'lost' || opening.why === 'restarted';
  return [next, is_unasked ? [{ tag: 'stop', reason: stop.message }, ...actions] : actions];
};

const finishWork = (state: AssignmentState, task: OpenTask, count: number, max_unfinished: number): Transition => {
  const unfinished = task.unfinished - count;
  // The partition may have paused above the limit. It resumes once no more than half is left.
  const is_half_left = unfinished <= max_unfinished / 2 && task.unfinished > max_unfinished / 2;
  return [{ ...state, task: { ...task, unfinished } }, is_half_left ? [{ tag: 'resume' }] : []];
};

const onTask = (
  state: AssignmentState,
  task: OpenTask,
  event: Event<'work_begun' | 'work_finished' | 'processed' | 'stopped' | 'lost'>,
  max_unfinished: number,
): Transition => {
  switch (event.tag) {
    case 'work_begun':
      return [{ ...state, task: { ...task, unfinished: task.unfinished + event.count } }, []];
    case 'work_finished':
      return finishWork(state, task, event.count, max_unfinished);
    case 'processed': {
      const is_above = task.unfinished > max_unfinished;
      return [{ ...state, task: { ...task, next: event.next } }, is_above ? [{ tag: 'pause' }] : []];
    }
    case 'stopped':
      return state.stop === event.stop ? [state, []] : stopped(state, event.stop);
    case 'lost':
      return [
        { ...state, task: null, opening: { why: 'lost' } },
        // Pauses, because records that arrive before the partition is open again are dropped and have to be fetched
        // twice.
        [{ tag: 'report_lost' }, { tag: 'pause' }, { tag: 'reopen', after_ms: REOPEN_MS }],
      ];
  }
};

/** @param max_unfinished more unfinished work than this pauses the partition */
export const applyAssignmentEvent = (
  state: AssignmentState,
  event: AssignmentEvent,
  max_unfinished: number,
): Transition => {
  if (state.is_revoked) return [state, []];
  switch (event.tag) {
    case 'opened':
      return opened(state, event);
    case 'not_opened':
      return notOpened(state, event.stop);
    case 'retry_asked':
      if (state.stop === null || state.opening !== null) return [state, []];
      return [
        { ...state, task: null, stop: null, opening: { why: 'restarted' } },
        [{ tag: 'end_watch' }, { tag: 'report_restarted' }, { tag: 'reopen', after_ms: 0 }],
      ];
    case 'revoked':
      return [
        { ...state, is_revoked: true },
        state.stop === null ? [] : [{ tag: 'end_watch' }, { tag: 'report_restarted' }],
      ];
    default: {
      const { task } = state;
      return task === null || task.id !== event.task ? [state, []] : onTask(state, task, event, max_unfinished);
    }
  }
};
