import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { appendAcknowledged } from '../../platform/records/append-acknowledged.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../read-models/deliveries/outcome.ts';
import type { DeliveryStore, Recorder } from '../ports.ts';
import { type Author, outcomeEvents, plannedEvent } from './delivery-events.ts';

/** Keeps track of events that are appended but perhaps not stored yet. The stored position must not pass these. */
export type UnstoredAppends = {
  /** Call this when the partition is assigned, and the store matches the log up to `end`. Forgets earlier appends. */
  readonly reset: (partition: number, end: number) => void;
  /** Notes that the partition of `webhook-events` ended at `end` at some earlier moment. */
  readonly noteEnd: (partition: number, end: number) => void;
  readonly begin: (partition: number) => () => void;
  /** An offset below which the store has all events of this process. Null if the store has all of them. */
  readonly lowest: (partition: number) => number | null;
};

export const unstoredAppends = (): UnstoredAppends => {
  const ends = new Map<number, number>();
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

export type EventToAppend = {
  readonly partition: number;
  readonly event: WebhookEvent;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Events per append. They fit into one Kafka request, so an event of a later append never precedes one of an earlier
 * append.
 */
const MAX_AT_ONCE = 500;

/**
 * Appends all events in order, and retries until they are acknowledged. False if `stop` aborted first; some may then be
 * appended.
 */
export type AppendAll = (events: readonly EventToAppend[], stop: AbortSignal) => Promise<boolean>;

export const appendAll = (records: RecordLog, warn: Warn, clock: Clock): AppendAll => {
  const onFault = ({ message: reason }: { readonly message: string }): void =>
    warn({ reason }, 'events were not appended; trying again');
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

export type RecorderDependencies = {
  readonly append: AppendAll;
  readonly store: Pick<DeliveryStore, 'plan' | 'record'>;
  readonly unstored: UnstoredAppends;
  readonly actor: string;
  readonly now: () => number;
  readonly on_planned: (deliveries: readonly WebhookDeliveryDocument[]) => void;
  /** Called after an outcome is stored, unless another process stored an outcome first. */
  readonly on_recorded: (delivery: WebhookDeliveryDocument, outcome: DeliveryOutcome) => void;
};

const traceIn = ({ traceparent }: WebhookDeliveryDocument): Readonly<Record<string, string>> =>
  traceparent === undefined ? {} : { traceparent };

/**
 * Appends each plan and outcome before storing it. A repeat after a crash appends the same ids and does not change the
 * store again.
 */
export const createRecorder = (parts: RecorderDependencies): Recorder => {
  const { append, store, unstored } = parts;
  const author = (): Author => ({ actor: parts.actor, occurred_at: parts.now() });
  /**
   * Marks the work as unstored until it ends. Aborted work stays marked: the next owner of the partition reads its
   * events from the log.
   */
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
    // Appends the events one by one: if a send fails, the end of a delivery must not precede its attempt in the log.
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
