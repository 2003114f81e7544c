import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { appendAcknowledged } from '../../platform/records/append-acknowledged.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Outcome } from '../../read-models/deliveries/outcome.ts';
import type { DeliveryStore, Recorder } from '../ports.ts';
import { type Author, outcomeEvents, plannedEvent } from './delivery-events.ts';

/** Appends of each partition that the store may not have yet, so that a position never passes them. */
export type UnstoredAppends = {
  /** The partition is assigned and its state is level with the log up to `end`. Earlier appends no longer count. */
  readonly reset: (partition: number, end: number) => void;
  /** The partition of `webhook-events` ended there at a moment in the past. */
  readonly noteEnd: (partition: number, end: number) => void;
  /** Events are about to be appended. The returned function says that the store has them. */
  readonly begin: (partition: number) => () => void;
  /** The store has every event of this process below that offset; null if no append is under way. */
  readonly lowest: (partition: number) => number | null;
};

export const unstoredAppends = (): UnstoredAppends => {
  const ends = new Map<number, number>();
  /** By partition: its end before each append that is under way. */
  const under_way = new Map<number, Set<{ readonly from: number }>>();
  const noteEnd: UnstoredAppends['noteEnd'] = (partition, end) => void ends.set(partition, end);
  return {
    reset: (partition, end) => {
      noteEnd(partition, end);
      under_way.delete(partition);
    },
    noteEnd,
    begin: (partition) => {
      const append = { from: ends.get(partition) ?? 0 };
      const appends = under_way.get(partition) ?? new Set();
      under_way.set(partition, appends.add(append));
      return () => void appends.delete(append);
    },
    lowest: (partition) => {
      const offsets = Array.from(under_way.get(partition) ?? [], ({ from }) => from);
      return offsets.length === 0 ? null : Math.min(...offsets);
    },
  };
};

/** An event, and the partition of `render-status` that it belongs to. */
export type EventToAppend = {
  readonly partition: number;
  readonly event: WebhookEvent;
  readonly headers: Readonly<Record<string, string>>;
};

/** They fit into one send, so the log never has an event of a later part before one of an earlier part. */
const MAX_AT_ONCE = 500;

/**
 * Appends events in their order and retries until the log has them; a duplicate is harmless. False once `stop` has
 * aborted, though some may be appended.
 */
export type AppendAll = (events: readonly EventToAppend[], stop: AbortSignal) => Promise<boolean>;

export const appendAll = (records: RecordLog, warn: Warn, clock: Clock): AppendAll => {
  const onFault = ({ message: reason }: { readonly message: string }): void =>
    warn({ reason }, 'events were not appended; they are tried again');
  return async (events, signal) => {
    const requests = events.map(
      ({ event, ...at }) => ({ topic: 'webhook-events', key: event.render_id, record: event, ...at }) as const,
    );
    try {
      for (let from = 0; from < requests.length; from += MAX_AT_ONCE) {
        await appendAcknowledged(records, requests.slice(from, from + MAX_AT_ONCE), { signal, clock, onFault });
      }
      return !signal.aborted;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  };
};

export type RecorderParts = {
  readonly append: AppendAll;
  readonly store: Pick<DeliveryStore, 'plan' | 'record'>;
  readonly unstored: UnstoredAppends;
  /** `relay:…` */
  readonly actor: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** New deliveries. */
  readonly on_planned: (deliveries: readonly WebhookDeliveryDocument[]) => void;
  /** An outcome that counts. */
  readonly on_recorded: (delivery: WebhookDeliveryDocument, outcome: Outcome) => void;
};

const traceIn = ({ traceparent }: WebhookDeliveryDocument): Readonly<Record<string, string>> =>
  traceparent === undefined ? {} : { traceparent };

/**
 * Appends to the log first, then changes the state. Every call may be repeated after a crash: the repeated event has the
 * same id in the log, and the state does not change again.
 */
export const createRecorder = (parts: RecorderParts): Recorder => {
  const { append, store, unstored } = parts;
  const author = (): Author => ({ actor: parts.actor, occurred_at: parts.now() });
  /** Work that is given up stays unstored: the next owner of the partition finds it in the log. */
  const tracked = async <A>(partition: number, stop: AbortSignal, work: () => Promise<A>): Promise<A> => {
    const noteStored = unstored.begin(partition);
    try {
      return await work();
    } finally {
      if (!stop.aborted) noteStored();
    }
  };

  const recordPlan: Recorder['plan'] = async (plan, causes, stop) => {
    const by = author();
    const events = plan.deliveries.map((delivery) => ({
      partition: plan.partition,
      event: plannedEvent(by, delivery, causes.get(delivery._id)),
      headers: traceIn(delivery),
    }));
    if (!(await append(events, stop))) return new Set();
    const added = await store.plan(plan, stop);
    parts.on_planned(plan.deliveries.filter(({ _id }) => added.has(_id)));
    return added;
  };

  const recordOutcome: Recorder['record'] = async (delivery, outcome, stop) => {
    const { partition } = delivery;
    const headers = traceIn(delivery);
    // One after the other: after a failed send, the end must not be appended before the attempt.
    for (const event of outcomeEvents(author(), delivery, outcome)) {
      if (!(await append([{ partition, event, headers }], stop))) return false;
    }
    const counts = await store.record(outcome, stop);
    if (counts) parts.on_recorded(delivery, outcome);
    return counts;
  };

  return {
    plan: (plan, causes, stop) => tracked(plan.partition, stop, () => recordPlan(plan, causes, stop)),
    record: (delivery, outcome, stop) =>
      tracked(delivery.partition, stop, () => recordOutcome(delivery, outcome, stop)),
  };
};
