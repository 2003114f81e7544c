import pLimit from 'p-limit';
import { isEventKind } from '../../domain/webhooks/event-kinds.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../read-models/deliveries/outcome.ts';
import { mayStillBeStored } from '../../read-models/deliveries/retention.ts';
import type { DeliveryStore, Recorder } from '../ports.ts';
import { type DeliveryEnd, type DeliveryHistory, deliveryEndOf } from './delivery-history.ts';
import { endedDelivery } from './planned-deliveries.ts';
import { type RepeatLink, repeatLinkOf } from './requested-delivery.ts';

export type RestoreHistoryDependencies = {
  readonly store: Pick<DeliveryStore, 'restore'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
};

export type HistoryRestorer = {
  /**
   * Adds an ended delivery; ignores pending ones. Rejects once another process took the partition, or `stop` aborts.
   */
  readonly add: (history: DeliveryHistory) => Promise<void>;
  readonly flush: () => Promise<number>;
};

const MAX_AT_ONCE = 200;

export const documentOf = (
  history: DeliveryHistory,
  partition: number,
  end: DeliveryEnd,
): WebhookDeliveryDocument | null => {
  const { id, endpoint_id, team_id, render_id, seq, event, status_offset, repeats } = history.delivery;
  if (!isEventKind(event)) return null;
  const plan = { id, endpoint_id, team_id, render_id, seq, event, partition, status_offset, repeats, ...history.trace };
  return endedDelivery(plan, history, end);
};

const outcomeOf = ({ _id, attempts, reason }: WebhookDeliveryDocument, { state }: DeliveryEnd): DeliveryOutcome => ({
  delivery_id: _id,
  attempts_before: attempts.length - 1,
  attempt: attempts.at(-1) ?? null,
  result: state === 'succeeded' ? { tag: state } : { tag: state, reason: reason ?? state },
});

/**
 * Restores ended deliveries from the log. It does not change stored ones, so it may be repeated. Skips deliveries past
 * their retention.
 */
export const historyRestorer = (
  { store, recorder, clock }: RestoreHistoryDependencies,
  partition: number,
  stop: AbortSignal,
): HistoryRestorer => {
  let deliveries: WebhookDeliveryDocument[] = [];
  let repeated: RepeatLink[] = [];
  let stored = 0;
  const oneAtATime = pLimit(1);

  const flush = async (): Promise<number> => {
    const [some, repeats] = [deliveries, repeated];
    deliveries = [];
    repeated = [];
    if (some.length + repeats.length > 0)
      await oneAtATime(async () => {
        await store.restore({ partition, deliveries: some, repeated: repeats }, stop);
        stored += some.length;
      });
    return stored;
  };

  const add = async (history: DeliveryHistory): Promise<void> => {
    const end = deliveryEndOf(history);
    const document = end === null ? null : documentOf(history, partition, end);
    if (end === null || document === null) return;
    // If a relay was killed between the attempt and its end, appends the end now.
    if (!end.is_logged) await recorder.record(document, outcomeOf(document, end), stop);
    stop.throwIfAborted();
    const now = clock.now();
    if ((document.delete_at?.getTime() ?? 0) > now) deliveries.push(document);
    // Stores the link even if this delivery is not stored, because the repeated delivery may have a longer retention.
    if (mayStillBeStored(end.ended_at, now)) repeated.push(...repeatLinkOf(document));
    if (deliveries.length + repeated.length >= MAX_AT_ONCE) await flush();
  };

  return { add, flush };
};
