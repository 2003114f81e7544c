import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';

type AskedLog = Pick<EventLog, 'reachableBounds' | 'read'>;

/** The first topic gets a record every few seconds; the others may be idle for long. */
const TOPICS: readonly Topic[] = ['worker-heartbeats', 'catalogue-events', 'render-events'];

/**
 * The time of the newest record, in ms by the broker's clock: a lower bound of the current time. Rejects if no
 * partition answers or the log is empty.
 */
export const newestAppendTime = async (log: AskedLog): Promise<number> => {
  const times = await Promise.all(
    TOPICS.map(async (topic) => {
      const bounds = (await log.reachableBounds(topic)).filter(({ start, end }) => end > start);
      const last = await log.read(bounds.map(({ partition, end }) => ({ topic, partition, offset: end - 1 })));
      return last.flatMap((record) => record?.append_time_ms ?? []);
    }),
  );
  const newest = Math.max(...times.flat());
  if (!Number.isFinite(newest)) throw new Error('the log has no records, so its time is unknown');
  return newest;
};
