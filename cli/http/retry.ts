import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { type Clock, SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient, ApiResult } from './api-client.ts';

/** All times in ms. */
export type RequestRetryOptions = {
  /** The pause before the second try if there is no `Retry-After`; it doubles each time. */
  readonly first_pause_ms: number;
  readonly longest_pause_ms: number;
  /** The retries end if the service is unavailable for this time. */
  readonly timeout_ms: number;
  /** The retries end after this time if the service has never answered, because its address may be wrong. */
  readonly never_answered_timeout_ms?: number;
  /** A fault with a longer `Retry-After` is not retried. By default, the longest pause replaces a longer time. */
  readonly longest_retry_after_ms?: number;
  readonly stop: AbortSignal;
  readonly clock?: Pick<Clock, 'monotonic'>;
};

export const BATCH_RETRY_OPTIONS = { first_pause_ms: 500, longest_pause_ms: 60_000, timeout_ms: 120_000 } as const;

/** For commands that a person waits for. */
const COMMAND_RETRY_OPTIONS = {
  ...{ first_pause_ms: 500, longest_pause_ms: 20_000, timeout_ms: 60_000 },
  ...{ never_answered_timeout_ms: 1_000, longest_retry_after_ms: 60_000 },
} as const;

const isTransient = (fault: CliFault): boolean =>
  fault.tag === 'unreachable' || (fault.tag === 'http' && (fault.status === 429 || fault.status >= 500));

const retryAfterMs = (fault: CliFault): number => (fault.tag === 'http' ? (fault.retry_after_s ?? 0) * 1000 : 0);

/** Retries while the service is busy or unavailable. On the left a permanent fault, or `interrupted`. */
export type RequestRetrier = <A>(ask: () => ApiResult<A>) => ApiResult<A>;

/**
 * Retries for all requests of a command: if one gets a `Retry-After` (429 or 503), all wait. Any other response ends
 * the wait.
 */
export const createRequestRetrier = ({
  first_pause_ms,
  longest_pause_ms,
  timeout_ms,
  never_answered_timeout_ms = timeout_ms,
  longest_retry_after_ms = Number.POSITIVE_INFINITY,
  stop,
  clock = SYSTEM_CLOCK,
}: RequestRetryOptions): RequestRetrier => {
  let quiet_until = 0;
  /** When the first failed try since the last answer began. */
  let failing_since: number | null = null;
  let has_answered = false;
  const quiet = async (): Promise<void> => {
    for (let left = 1; left > 0 && !stop.aborted; ) {
      left = quiet_until - clock.monotonic();
      if (left > 0) await wait(left, undefined, { signal: stop }).catch(() => undefined);
    }
  };
  const isOver = (fault: CliFault, since: number): boolean =>
    clock.monotonic() - since > (has_answered ? timeout_ms : never_answered_timeout_ms) ||
    retryAfterMs(fault) > longest_retry_after_ms;
  return async (ask) => {
    for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(longest_pause_ms, pause_ms * 2)) {
      await quiet();
      if (stop.aborted) return E.left({ tag: 'interrupted' });
      const began = clock.monotonic();
      const answer = await ask();
      if (stop.aborted && E.isLeft(answer)) return E.left({ tag: 'interrupted' });
      has_answered ||= E.isRight(answer) || answer.left.tag !== 'unreachable';
      if (E.isRight(answer) || !isTransient(answer.left)) {
        failing_since = null;
        return answer;
      }
      failing_since ??= began;
      if (isOver(answer.left, failing_since)) return answer;
      const pause = Math.min(longest_pause_ms, retryAfterMs(answer.left) || pause_ms);
      quiet_until = Math.max(quiet_until, clock.monotonic() + pause);
    }
  };
};

export const withRetries = (client: ApiClient, retrier: RequestRetrier): ApiClient => ({
  address: client.address,
  send: (codec, request) => retrier(() => client.send(codec, request)),
  sendForBytes: (request) => retrier(() => client.sendForBytes(request)),
});

/** For the requests of a command that a person waits for. */
export const commandRetrier = (stop: AbortSignal): RequestRetrier =>
  createRequestRetrier({ ...COMMAND_RETRY_OPTIONS, stop });
