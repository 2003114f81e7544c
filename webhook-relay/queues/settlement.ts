import { messageOf } from '../../platform/logging/message-of.ts';
import { abortable } from '../../platform/process/abortable.ts';
import { retry } from '../../platform/process/retry.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Outcome } from '../../read-models/deliveries/outcome.ts';
import type { QueueParts } from './parts.ts';

/** Milliseconds between two tries of what the store or the log has refused. */
const TRY_AGAIN_MS = 1_000;

/** Tries again until it succeeds; rejects once `stop` has aborted. */
export const untilStored = <A>(
  { clock, warn }: Pick<QueueParts, 'clock' | 'warn'>,
  stop: AbortSignal,
  failure: string,
  work: () => Promise<A>,
): Promise<A> =>
  retry(() => abortable(stop, work()), {
    clock,
    signal: stop,
    policy: () => TRY_AGAIN_MS,
    onFailure: (error) => warn({ reason: messageOf(error) }, failure),
  });

/** A delivery as it is after its outcome. */
const changed = (delivery: WebhookDeliveryDocument, { attempt, result }: Outcome): WebhookDeliveryDocument | null => {
  if (result.tag !== 'retry') return null;
  const attempts = attempt === null ? delivery.attempts : [...delivery.attempts, attempt];
  return { ...delivery, attempts, waiting: result.waiting };
};

/**
 * What is known of a delivery once its outcome is stored: `open` as it now waits, or that it is ended. Where another
 * process was faster, as the store has it. `unknown`: `stop` aborted before, or the store has lost it, and it is made
 * anew from the log.
 */
export type Settled =
  | { readonly tag: 'open'; readonly delivery: WebhookDeliveryDocument; readonly counts: boolean }
  | { readonly tag: 'ended'; readonly counts: boolean }
  | { readonly tag: 'unknown' };

/** Records an outcome, however long it takes. Never rejects. */
export const settle = async (
  parts: Pick<QueueParts, 'store' | 'recorder' | 'clock' | 'warn'>,
  delivery: WebhookDeliveryDocument,
  outcome: Outcome,
  stop: AbortSignal,
): Promise<Settled> => {
  try {
    const counts = await untilStored(parts, stop, 'what became of a delivery is not recorded yet', () =>
      parts.recorder.record(delivery, outcome, stop),
    );
    const now = counts
      ? changed(delivery, outcome)
      : await untilStored(parts, stop, 'a delivery cannot be read yet', () => parts.store.delivery(delivery._id));
    if (!counts && now === null) return { tag: 'unknown' };
    return now?.state === 'pending' ? { tag: 'open', delivery: now, counts } : { tag: 'ended', counts };
  } catch {
    return { tag: 'unknown' };
  }
};
