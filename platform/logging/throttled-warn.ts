import type { Logger } from './logger.ts';

const EVERY_MS = 30_000;
/** Distinct warnings to remember; the one logged longest ago is evicted first. */
const MAX_REMEMBERED = 200;

export type Warn = (details: Readonly<Record<string, unknown>>, message: string) => void;

type Told = { readonly at_ms: number; kept_back: number };

/**
 * Among warnings with equal message and `reason`, one is logged every `every_ms`, and the others only as debug.
 * `repeated` counts the suppressed warnings before it.
 * @param now milliseconds of a monotonic clock
 */
export const throttledWarn = (
  logger: Logger,
  every_ms: number = EVERY_MS,
  now: () => number = () => performance.now(),
): Warn => {
  const warned = new Map<string, Told>();
  return (details, message) => {
    const key = `${message} ${details.reason ?? ''}`;
    const before = warned.get(key);
    const at_ms = now();
    if (before !== undefined && at_ms - before.at_ms < every_ms) {
      before.kept_back += 1;
      logger.debug(details, message);
      return;
    }
    warned.delete(key);
    warned.set(key, { at_ms, kept_back: 0 });
    for (const oldest of warned.keys()) {
      if (warned.size <= MAX_REMEMBERED) break;
      warned.delete(oldest);
    }
    const repeated = before?.kept_back ?? 0;
    logger.warn(repeated === 0 ? details : { ...details, repeated }, message);
  };
};
