import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import type { ApiResult } from '../render/render-api.ts';

/** All times in ms. */
export type BatchRetryOptions = {
  /** The pause before the second try if there is no `Retry-After`; it doubles each time. */
  readonly first_pause_ms: number;
  readonly longest_pause_ms: number;
  /** The batch ends if the service is unavailable for this time. */
  readonly timeout_ms: number;
  readonly stop: AbortSignal;
};

export const BATCH_RETRY_OPTIONS = { first_pause_ms: 500, longest_pause_ms: 60_000, timeout_ms: 120_000 } as const;

const isTransient = (fault: CliFault): boolean =>
  fault.tag === 'unreachable' || (fault.tag === 'http' && (fault.status === 429 || fault.status >= 500));

/** Retries while the service is busy or unavailable. On the left a permanent fault, or `interrupted`. */
export type RequestRetrier = <A>(ask: () => ApiResult<A>) => ApiResult<A>;

/**
 * Retries for all requests of a batch: if one gets a `Retry-After` (429 or 503), all wait. Any other response ends the
 * wait.
 */
export const createRequestRetrier = ({
  first_pause_ms,
  longest_pause_ms,
  timeout_ms,
  stop,
}: BatchRetryOptions): RequestRetrier => {
  let quiet_until = 0;
  let answered_at = performance.now();
  const quiet = async (): Promise<void> => {
    for (let left = 1; left > 0 && !stop.aborted; ) {
      left = quiet_until - performance.now();
      if (left > 0) await wait(left, undefined, { signal: stop }).catch(() => undefined);
    }
  };
  return async (ask) => {
    for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(longest_pause_ms, pause_ms * 2)) {
      await quiet();
      if (stop.aborted) return E.left({ tag: 'interrupted' });
      const answer = await ask();
      if (stop.aborted && E.isLeft(answer)) return E.left({ tag: 'interrupted' });
      if (E.isRight(answer) || !isTransient(answer.left)) {
        answered_at = performance.now();
        return answer;
      }
      if (performance.now() - answered_at > timeout_ms) return answer;
      const asked_ms = answer.left.tag === 'http' ? (answer.left.retry_after_s ?? 0) * 1000 : 0;
      quiet_until = Math.max(quiet_until, performance.now() + Math.min(longest_pause_ms, asked_ms || pause_ms));
    }
  };
};
