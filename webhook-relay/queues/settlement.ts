import { messageOf } from '../../platform/logging/message-of.ts';
import { abortable } from '../../platform/process/abortable.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Outcome } from '../../read-models/deliveries/outcome.ts';
import type { QueueParts } from './parts.ts';
import type { QueueClock } from './wakes.ts';

const RETRY_MS = 1_000;

/** Resolves after a while, or at once when `stop` aborts. */
export const pause = (clock: QueueClock, wait_ms: number, stop: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(wait_ms, resolve);
  const end = (): void => {
    cancel();
    resolve();
  };
  if (stop.aborted) end();
  else stop.addEventListener('abort', end, { once: true });
  return promise.finally(() => stop.removeEventListener('abort', end));
};

/** A delivery as it is after its outcome. */
const changed = (delivery: WebhookDeliveryDocument, { attempt, result }: Outcome): WebhookDeliveryDocument | null => {
  if (result.tag !== 'retry') return null;
  const attempts = attempt === null ? delivery.attempts : [...delivery.attempts, attempt];
  return { ...delivery, attempts, waiting: result.waiting };
};

/**
 * What is known of a delivery once its outcome is stored: `open` as it now waits, or that it is ended. Where another
 * process was faster, as the store has it. `unknown`: `stop` aborted before.
 */
export type Settled =
  | { readonly tag: 'open'; readonly delivery: WebhookDeliveryDocument; readonly counts: boolean }
  | { readonly tag: 'ended'; readonly counts: boolean }
  | { readonly tag: 'unknown' };

const reread = async (parts: Pick<QueueParts, 'store' | 'clock' | 'warn'>, id: string, stop: AbortSignal) => {
  while (!stop.aborted) {
    try {
      const delivery = await abortable(stop, parts.store.delivery(id));
      return delivery?.state === 'pending' ? delivery : null;
    } catch (error) {
      if (!stop.aborted) parts.warn({ reason: messageOf(error) }, 'a delivery cannot be read yet');
      await pause(parts.clock, RETRY_MS, stop);
    }
  }
  return null;
};

/** Records an outcome, however long it takes. Never rejects. */
export const settle = async (
  parts: Pick<QueueParts, 'store' | 'recorder' | 'clock' | 'warn'>,
  delivery: WebhookDeliveryDocument,
  outcome: Outcome,
  stop: AbortSignal,
): Promise<Settled> => {
  while (!stop.aborted) {
    try {
      const counts = await abortable(stop, parts.recorder.record(delivery, outcome, stop));
      const now = counts ? changed(delivery, outcome) : await reread(parts, delivery._id, stop);
      if (!counts && stop.aborted) break;
      return now === null ? { tag: 'ended', counts } : { tag: 'open', delivery: now, counts };
    } catch (error) {
      if (!stop.aborted) parts.warn({ reason: messageOf(error) }, 'what became of a delivery is not recorded yet');
      await pause(parts.clock, RETRY_MS, stop);
    }
  }
  return { tag: 'unknown' };
};
