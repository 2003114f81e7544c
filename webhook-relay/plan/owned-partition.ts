import pLimit from 'p-limit';
import type { Clock } from '../../platform/process/clock.ts';
import type { AssignedPartition } from '../../platform/processor/partition-task.ts';
import type { Cause } from '../ports.ts';
import type { Begun } from './begun.ts';
import type { StatusChange } from './deliveries-of.ts';
import type { PlanningTime } from './delivery-document.ts';

/**
 * What the log knows of deliveries that planning has yet to come upon stands in `webhook-events` from `from` on. It has
 * to be read from there again at the next start, until planning has passed `until_status` in `render-status`: else what
 * has ended would be made again.
 */
export type KnownAhead = { readonly from: number; readonly until_status: number };

/** What the log knows of deliveries that planning has yet to come upon. */
export type KnownDeliveries = {
  /** Not to be planned: they have ended, or are in the state already. */
  readonly settled: ReadonlySet<string>;
  /** What the log knows of others, and the state does not: they are planned again, and are the same. By delivery id. */
  readonly begun: ReadonlyMap<string, Begun>;
  /** Null where there are none of either. */
  readonly ahead: KnownAhead | null;
};

/** Where the planner of a partition begins. */
export type StartingPoint = {
  readonly next_status: number;
  readonly next_request: number;
  /** Of the latest delivery, ms since the epoch. */
  readonly last_planned_at: number;
  /**
   * Nothing is planned, and nothing sent, before this has resolved: it may take long where the state was lost, as the
   * history of the partition is brought back. May be called again; rejects while store or log are away, with
   * `PartitionTaken`, and once the partition is let go of.
   */
  readonly learn: () => Promise<KnownDeliveries>;
};

/** What a record of `render-status` asks for: deliveries of a change, or none any more of a render that was erased. */
export type Taken =
  | { readonly tag: 'change'; readonly offset: number; readonly change: StatusChange; readonly cause: Cause }
  | { readonly tag: 'erased'; readonly offset: number; readonly render_id: string };

/** One partition while it is ours. */
export type OwnedPartition = Pick<AssignedPartition, 'partition' | 'signal'> & {
  /** Null until it is learnt: nothing is planned before. */
  known: KnownDeliveries | null;
  /** Plans, one after the other. */
  readonly oneAtATime: <A>(work: () => Promise<A>) => Promise<A>;
  /** Requests by hand, or an erasure: what was read of a render before it was erased is stored before that, and found. */
  readonly apartFromErasures: <A>(work: () => Promise<A>) => Promise<A>;
  /** What was taken and is not planned yet, in its order. */
  queue: readonly Taken[];
  /** Offset after the last record that was taken. */
  taken: number;
  /** `source_offset` of the last record that was taken: what is not above it is a repeat. */
  last_source_offset: number;
  planning: boolean;
  /** Everything below was planned, and stored where it came to anything. */
  next_status: number;
  next_request: number;
  /** As it stands in the store. */
  saved: { readonly next_status: number; readonly next_request: number };
  /** Milliseconds of a monotonic clock. */
  saved_at: number;
  last_due_at: number;
  /** Whether `webhook-events` is being looked through for requests. */
  looking: boolean;
};

/** From where `webhook-events` has to be read at the next start, as far as `next_status` is planned. */
export const nextRequestOf = (
  { next_request, next_status }: Pick<StartingPoint, 'next_request' | 'next_status'>,
  ahead: KnownAhead | null,
): number => (ahead === null || next_status > ahead.until_status ? next_request : Math.min(next_request, ahead.from));

/** Whether all that `webhook-events` tells of below `end` is planned. */
export const isPlanned = (
  { known, next_status, next_request }: Pick<OwnedPartition, 'known' | 'next_status' | 'next_request'>,
  end: number,
): boolean => known !== null && next_request >= end && (known.ahead === null || next_status > known.ahead.until_status);

export const ownedPartition = (
  { partition, signal }: AssignedPartition,
  { next_status, next_request, last_planned_at }: StartingPoint,
  last_source_offset: number,
  clock: Clock,
): OwnedPartition => ({
  partition,
  signal,
  known: null,
  oneAtATime: pLimit(1),
  apartFromErasures: pLimit(1),
  queue: [],
  taken: next_status,
  last_source_offset,
  planning: false,
  next_status,
  next_request,
  saved: { next_status, next_request },
  saved_at: clock.monotonic(),
  last_due_at: last_planned_at,
  looking: false,
});

/** @param now ms since the epoch */
export const planningTime = (held: OwnedPartition, now: number): PlanningTime => {
  held.last_due_at = Math.max(held.last_due_at, now);
  return { now, due_at: held.last_due_at, begun: (delivery_id) => held.known?.begun.get(delivery_id) ?? null };
};
