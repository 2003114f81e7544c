import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { isAway } from '../../platform/read-store/store-away.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';
import type { WebhookAttempt } from '../../read-models/deliveries/documents.ts';
import type { CliFault } from '../fault.ts';
import { type DeliveryAnswer, deliveryAnswer } from './delivery-answers.ts';

const POLL_MS = 200;

/** How long the delivery may be missing: while the relay or the store is away. */
const MISSING_TIMEOUT_MS = 20_000;

export type Following = {
  /** Called once for each attempt. */
  readonly on_attempt: (attempt: WebhookAttempt) => void;
  /** Ends the following; the delivery itself goes on. */
  readonly stop: AbortSignal;
};

/**
 * Reads a requested delivery until it has ended, in whatever way.
 *
 * @returns on the left `not_taken_up`, `interrupted`
 */
export const followDelivery = async (
  log: DeliveryLog,
  id: string,
  { on_attempt, stop }: Following,
): Promise<E.Either<CliFault, DeliveryAnswer>> => {
  let last_seen_at = performance.now();
  let shown = 0;
  for (;;) {
    const found = await log.find(id).catch((error: unknown) => {
      if (isAway(error)) return null;
      throw error;
    });
    if (found !== null) {
      last_seen_at = performance.now();
      for (const attempt of found.attempts.slice(shown)) on_attempt(attempt);
      shown = found.attempts.length;
      if (found.state !== 'pending') return E.right(deliveryAnswer(found));
    }
    if (performance.now() - last_seen_at > MISSING_TIMEOUT_MS)
      return E.left({ tag: 'not_taken_up', id, waited_ms: MISSING_TIMEOUT_MS });
    await wait(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return E.left({ tag: 'interrupted' });
  }
};
