import pLimit from 'p-limit';
import type { Clock } from '../../platform/process/clock.ts';
import type { AssignedPartition } from '../../platform/processor/processor.ts';
import type { Cause } from '../ports.ts';
import type { StatusChange } from './deliveries-of.ts';
import type { Begun, PlanningTime } from './delivery-document.ts';

/** Where the planner of a partition begins. */
export type StartingPoint = {
  readonly next_status: number;
  readonly next_request: number;
  /** Of the latest delivery, ms since the epoch. */
  readonly last_planned_at: number;
  /** Deliveries from there on that are not to be planned: they have ended, or are in the state already. */
  readonly settled: ReadonlySet<string>;
  /** What the log knows of others, and the state does not: they are planned again, and are the same. By delivery id. */
  readonly begun: ReadonlyMap<string, Begun>;
};

/** A change of a status that is to be planned, and the record that it stands in. */
export type Taken = { readonly change: StatusChange; readonly cause: Cause };

/** One partition while it is ours. */
export type OwnedPartition = Pick<AssignedPartition, 'partition' | 'signal'> & {
  readonly settled: ReadonlySet<string>;
  readonly begun: ReadonlyMap<string, Begun>;
  /** Plans, one after the other. */
  readonly oneAtATime: <A>(work: () => Promise<A>) => Promise<A>;
  /** Changes that were taken and are not planned yet, in their order. */
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

export const ownedPartition = (
  { partition, signal }: AssignedPartition,
  { next_status, next_request, last_planned_at, settled, begun }: StartingPoint,
  last_source_offset: number,
  clock: Clock,
): OwnedPartition => ({
  partition,
  signal,
  settled,
  begun,
  oneAtATime: pLimit(1),
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
  return { now, due_at: held.last_due_at, begun: (delivery_id) => held.begun.get(delivery_id) ?? null };
};
