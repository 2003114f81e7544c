import { LRUCache } from 'lru-cache';
import type { Logger } from '../logging/logger.ts';
import type { Clock } from '../process/clock.ts';

const WRITE_EVERY_MS = 5_000;
const ONCE_PER_KEY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export type KeyUseRecorder = {
  /** Returns at once. The time is written later, at most once a minute for each key. */
  readonly note: (key_id: string) => void;
  readonly stop: () => Promise<void>;
};

/** The time of the last use of each key. It is only shown to people, so a crash may lose the latest times. */
export const openKeyUseRecorder = (
  save: (uses: ReadonlyMap<string, Date>) => Promise<void>,
  logger: Logger,
  clock: Clock,
): KeyUseRecorder => {
  const written = new LRUCache<string, true>({
    max: MAX_REMEMBERED,
    ttl: ONCE_PER_KEY_MS,
    perf: { now: clock.monotonic },
  });
  const pending = new Map<string, Date>();

  const write = async (): Promise<void> => {
    if (pending.size === 0) return;
    const uses = new Map(pending);
    pending.clear();
    await save(uses).catch((error: unknown) => logger.warn({ error }, 'could not write when keys were last used'));
  };

  let writing = Promise.resolve();
  const end = clock.every(WRITE_EVERY_MS, () => {
    writing = writing.then(write);
  });

  return {
    note: (key_id) => {
      if (written.has(key_id)) return;
      written.set(key_id, true);
      pending.set(key_id, new Date(clock.now()));
    },
    stop: async () => {
      end();
      await writing;
      await write();
    },
  };
};
