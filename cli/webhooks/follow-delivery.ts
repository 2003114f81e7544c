import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { WebhookAttempt } from '../../read-models/deliveries/documents.ts';
import type { CliFault } from '../fault.ts';
import type { DeliveryAnswer } from '../http/webhooks.ts';

const POLL_MS = 200;

/** How long the delivery may be missing from the read model, for example during an outage of the relay or the store. */
const MISSING_TIMEOUT_MS = 20_000;

export type FollowDeliveryOptions = {
  /**
   * Called once for each attempt. `next_at` is the time of the next attempt in ms since the epoch; null if there is
   * none.
   */
  readonly on_attempt: (attempt: WebhookAttempt, next_at: number | null) => void;
  readonly on_waiting: () => void;
  readonly poll_ms?: number;
  readonly stop: AbortSignal;
};

/**
 * Follows a delivery until it has ended.
 *
 * @param read the delivery; null while it is missing or the store is unavailable
 * @returns on the left a fault of `read`, `not_taken_up` or `interrupted`
 */
export const followDelivery = async <D extends DeliveryAnswer>(
  read: () => Promise<E.Either<CliFault, D | null>>,
  id: string,
  { on_attempt, on_waiting, stop, poll_ms = POLL_MS }: FollowDeliveryOptions,
): Promise<E.Either<CliFault, D>> => {
  let last_seen_at = performance.now();
  let shown = 0;
  let is_waiting = false;
  for (;;) {
    const found = await read();
    if (E.isLeft(found)) return found;
    if (found.right !== null) {
      last_seen_at = performance.now();
      const answer = found.right;
      const { attempts, next_attempt_at } = answer;
      for (const attempt of attempts.slice(shown))
        on_attempt(attempt, attempt === attempts.at(-1) ? next_attempt_at : null);
      shown = attempts.length;
      if (answer.state !== 'pending') return E.right(answer);
      if (shown === 0 && !is_waiting) on_waiting();
      is_waiting = true;
    }
    if (performance.now() - last_seen_at > MISSING_TIMEOUT_MS)
      return E.left({ tag: 'not_taken_up', id, waited_ms: MISSING_TIMEOUT_MS });
    await wait(poll_ms, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return E.left({ tag: 'interrupted' });
  }
};
