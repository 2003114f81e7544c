import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls `condition` every `every_ms` until it returns true. Throws an error with `message` after `timeout_ms`, or the
 * reason of an aborted signal. A condition that throws counts as false.
 */
export const waitUntil = async (
  condition: () => Promise<boolean>,
  options: { timeout_ms: number; every_ms?: number; message: () => string; signal?: AbortSignal | undefined },
): Promise<void> => {
  const until = Date.now() + options.timeout_ms;
  for (;;) {
    options.signal?.throwIfAborted();
    if (await condition().catch(() => false)) return;
    if (Date.now() >= until) throw new Error(options.message());
    await delay(options.every_ms ?? 100, undefined, options.signal ? { signal: options.signal } : {}).catch(
      () => undefined,
    );
  }
};
