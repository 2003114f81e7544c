import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Outcome } from '../../read-models/deliveries/outcome.ts';
import type { DeliveryStore, Recorder } from '../ports.ts';
import type { AppendAll } from './append-all.ts';
import { type Author, outcomeEvents, plannedEvent } from './delivery-events.ts';
import type { InFlight } from './in-flight.ts';

export type RecorderParts = {
  readonly append: AppendAll;
  readonly store: Pick<DeliveryStore, 'plan' | 'record'>;
  readonly unstored: InFlight;
  /** `relay:…` */
  readonly actor: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Deliveries that were planned now, and not before. */
  readonly on_planned: (deliveries: readonly WebhookDeliveryDocument[]) => void;
  /** An outcome that counts. */
  readonly on_recorded: (delivery: WebhookDeliveryDocument, outcome: Outcome) => void;
};

const traceIn = ({ traceparent }: WebhookDeliveryDocument): Readonly<Record<string, string>> =>
  traceparent === undefined ? {} : { traceparent };

/**
 * First the log, then the state. Whatever is done here may be done again after a crash: in the log the repeat has the
 * same event id, and the state does not change a second time.
 */
export const createRecorder = (parts: RecorderParts): Recorder => {
  const { append, store, unstored } = parts;
  const author = (): Author => ({ actor: parts.actor, occurred_at: parts.now() });
  /** What is given up half way stays unstored: the next owner of the partition finds it in the log. */
  const tracked = async <A>(partition: number, stop: AbortSignal, work: () => Promise<A>): Promise<A> => {
    const stored = unstored.begin(partition);
    try {
      return await work();
    } finally {
      if (!stop.aborted) stored();
    }
  };

  const plan: Recorder['plan'] = async (its, causes, stop) => {
    const by = author();
    const events = its.deliveries.map((delivery) => ({
      partition: its.partition,
      event: plannedEvent(by, delivery, causes.get(delivery._id)),
      headers: traceIn(delivery),
    }));
    if (!(await append(events, stop))) return new Set();
    const added = await store.plan(its, stop);
    parts.on_planned(its.deliveries.filter(({ _id }) => added.has(_id)));
    return added;
  };

  const record: Recorder['record'] = async (delivery, outcome, stop) => {
    const { partition } = delivery;
    const headers = traceIn(delivery);
    // One after the other: a send that failed must not let the end overtake the attempt.
    for (const event of outcomeEvents(author(), delivery, outcome)) {
      if (!(await append([{ partition, event, headers }], stop))) return false;
    }
    const counts = await store.record(outcome, stop);
    if (counts) parts.on_recorded(delivery, outcome);
    return counts;
  };

  return {
    plan: (its, causes, stop) => tracked(its.partition, stop, () => plan(its, causes, stop)),
    record: (delivery, outcome, stop) => tracked(delivery.partition, stop, () => record(delivery, outcome, stop)),
  };
};
