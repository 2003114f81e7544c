import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { WebhookPositionDocument } from '../../read-models/deliveries/documents.ts';
import type { LoggedAttempts } from './delivery-history.ts';
import type { FetchedRecord, StatusWork } from './status-changes.ts';

/** Offsets of `render-status` and `webhook-events` from which planning continues. */
export type PlanningPosition = Pick<WebhookPositionDocument, 'next_status' | 'next_request'>;

/**
 * A range of `webhook-events` whose deliveries planning will reach again, from offset `from`. Every start reads these
 * events until planning passes `until_status` in `render-status`. Otherwise ended deliveries would be sent again.
 */
export type ReplannedRange = { readonly from: number; readonly until_status: number };

/** Deliveries in the log that planning will reach again. */
export type KnownDeliveries = {
  /** Deliveries that have ended or are stored. They are not planned again. */
  readonly settled: ReadonlySet<string>;
  /** Unfinished deliveries that only the log has, by id. They are planned again with the same content. */
  readonly logged: ReadonlyMap<string, LoggedAttempts>;
  /** Null if `settled` and `logged` are empty. */
  readonly ahead: ReplannedRange | null;
};

/** Only `partitionAfter` changes the state. */
export type PartitionState = {
  /** Null until the log is read. Planning starts after that. */
  readonly known: KnownDeliveries | null;
  readonly queue: readonly StatusWork[];
  readonly fetched: number;
  /** `source_offset` of the last fetched record. A record with the same or a lower one is a repeat. */
  readonly last_source_offset: number;
  /** True while a batch is planned, and permanently after a failed batch. */
  readonly is_planning: boolean;
  /** All records below these offsets are planned, and their deliveries are stored. */
  readonly position: PlanningPosition;
  readonly saved: PlanningPosition;
  readonly saved_at: number;
  /** The due time of new deliveries: the latest time of planning so far, so it never decreases. */
  readonly last_due_at: number;
  readonly is_reading_requests: boolean;
};

export type PartitionEvent =
  | { readonly tag: 'log_read'; readonly known: KnownDeliveries }
  | { readonly tag: 'fetched'; readonly records: readonly FetchedRecord[] }
  /** `count` items of work, and all records below `next_status`, have been planned and stored. */
  | { readonly tag: 'batch_planned'; readonly count: number; readonly next_status: number }
  | { readonly tag: 'planning_failed' }
  /** `next` has only those members of the position that the plan moves. */
  | {
      readonly tag: 'plan_stored';
      readonly next: Partial<PlanningPosition>;
      readonly saved: PlanningPosition;
      readonly at: number;
    }
  | { readonly tag: 'request_reading_began' }
  | { readonly tag: 'requests_planned'; readonly next_request: number }
  | { readonly tag: 'request_reading_ended' }
  | { readonly tag: 'time_read'; readonly now: number };

export type PartitionAction =
  | { readonly tag: 'report_poison'; readonly record: LogRecord; readonly reason: string }
  /** Adds to the unfinished work of the partition, which is paused above a limit. */
  | { readonly tag: 'begin_work'; readonly count: number }
  | { readonly tag: 'finish_work'; readonly count: number }
  | { readonly tag: 'take_queues' }
  /** After the batch, the event `batch_planned` or `planning_failed` must follow. */
  | { readonly tag: 'plan_batch'; readonly work: readonly StatusWork[]; readonly next_status: number };

const MAX_BATCH = 100;

export const initialPartitionState = (
  position: PlanningPosition,
  {
    last_due_at,
    last_source_offset,
    now,
  }: Pick<PartitionState, 'last_due_at' | 'last_source_offset'> & {
    readonly now: number;
  },
): PartitionState => ({
  known: null,
  queue: [],
  fetched: position.next_status,
  last_source_offset,
  is_planning: false,
  position,
  saved: position,
  saved_at: now,
  last_due_at,
  is_reading_requests: false,
});

type Step = readonly [PartitionState, readonly PartitionAction[]];

const planNext = (state: PartitionState, before: readonly PartitionAction[]): Step => {
  const has_work = state.queue.length > 0 || state.position.next_status < state.fetched;
  if (state.is_planning || state.known === null || !has_work) return [state, before];
  const queue = state.queue.slice(MAX_BATCH);
  const work = state.queue.slice(0, MAX_BATCH);
  const next_status = queue[0]?.offset ?? state.fetched;
  return [{ ...state, queue, is_planning: true }, [...before, { tag: 'plan_batch', work, next_status }]];
};

const fetch = (before: PartitionState, records: readonly FetchedRecord[]): Step => {
  let { fetched, last_source_offset } = before;
  const poison: PartitionAction[] = [];
  const work: StatusWork[] = [];
  for (const record of records) {
    fetched = record.offset + 1;
    if (record.tag === 'poison') {
      poison.push({ tag: 'report_poison', record: record.record, reason: record.reason });
      continue;
    }
    if (record.source_offset <= last_source_offset) continue;
    last_source_offset = record.source_offset;
    work.push(...record.work);
  }
  const state = { ...before, fetched, last_source_offset, queue: [...before.queue, ...work] };
  return planNext(state, [...poison, { tag: 'begin_work', count: work.length }]);
};

export const partitionAfter = (state: PartitionState, event: PartitionEvent): Step => {
  switch (event.tag) {
    case 'log_read':
      return planNext({ ...state, known: event.known }, [{ tag: 'take_queues' }]);
    case 'fetched':
      return fetch(state, event.records);
    case 'batch_planned': {
      const position = { ...state.position, next_status: event.next_status };
      return planNext({ ...state, position, is_planning: false }, [{ tag: 'finish_work', count: event.count }]);
    }
    case 'planning_failed':
      // Plans nothing more, because a later batch would move the position past the failed one. The process crashes, and
      // its successor plans both.
      return [state, []];
    case 'plan_stored': {
      const { next, saved, at } = event;
      return [{ ...state, position: { ...state.position, ...next }, saved, saved_at: at }, []];
    }
    case 'request_reading_began':
      return [{ ...state, is_reading_requests: true }, []];
    case 'requests_planned':
      return [{ ...state, position: { ...state.position, next_request: event.next_request } }, []];
    case 'request_reading_ended':
      return [{ ...state, is_reading_requests: false }, []];
    case 'time_read':
      return [{ ...state, last_due_at: Math.max(state.last_due_at, event.now) }, []];
  }
};

/** The offset of `webhook-events` from which the next start must read if planning has reached this position. */
export const nextRequestOf = ({ next_request, next_status }: PlanningPosition, ahead: ReplannedRange | null): number =>
  ahead === null || next_status > ahead.until_status ? next_request : Math.min(next_request, ahead.from);

export const isPlannedUpTo = ({ known, position }: Pick<PartitionState, 'known' | 'position'>, end: number): boolean =>
  known !== null &&
  position.next_request >= end &&
  (known.ahead === null || position.next_status > known.ahead.until_status);
