import type { Delivery } from './delivery.ts';

/** How one attempt ended. Any 2xx is a success; a redirect is not followed, and fails. */
export type Attempted = { readonly tag: 'delivered' } | { readonly tag: 'failed'; readonly reason: string };

const failed = (reason: string): Attempted => ({ tag: 'failed', reason });

const reasonOf = (error: unknown, timeout_ms: number): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeout_ms} ms`;
  return error.cause instanceof Error ? error.cause.message : error.message;
};

/**
 * Makes one attempt.
 *
 * @param timeout_ms for all of it; the answer's body is not waited for
 * @param stop ends the attempt early when the process is told to stop
 */
export const dial = async (delivery: Delivery, timeout_ms: number, stop: AbortSignal): Promise<Attempted> => {
  try {
    const answer = await fetch(delivery.url, {
      method: 'POST',
      headers: delivery.headers,
      body: new Uint8Array(delivery.body),
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeout_ms), stop]),
    });
    await answer.body?.cancel();
    return answer.ok ? { tag: 'delivered' } : failed(`the endpoint answered ${answer.status}`);
  } catch (error) {
    return failed(reasonOf(error, timeout_ms));
  }
};
