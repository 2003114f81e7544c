import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';

type AskedLog = Pick<EventLog, 'reachableBounds' | 'read'>;

/** Dispatcher and workers append to the first one every few seconds; the others may be idle for long. */
const TOPICS: readonly Topic[] = ['worker-heartbeats', 'catalogue-events', 'render-events'];

/**
 * When the newest record of the log was appended, ms by the brokers' clock. It is a lower bound of the current time. Rejects
 * while no partition answers, and if the log has no record.
 */
export const newestAppend = async (log: AskedLog): Promise<number> => {
  const times = await Promise.all(
    TOPICS.map(async (topic) => {
      const bounds = (await log.reachableBounds(topic)).filter(({ start, end }) => end > start);
      const last = await log.read(bounds.map(({ partition, end }) => ({ topic, partition, offset: end - 1 })));
      return last.flatMap((record) => record?.append_time_ms ?? []);
    }),
  );
  const newest = Math.max(...times.flat());
  if (!Number.isFinite(newest)) throw new Error('no record of the log says what time it is');
  return newest;
};
