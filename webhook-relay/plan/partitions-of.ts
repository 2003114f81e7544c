import type { EventLog } from '../../platform/event-log/event-log.ts';

/**
 * How many partitions `render-status` has. Throws where `webhook-events` has another number: a render's deliveries are
 * looked for in the partition of its events.
 */
export const partitionsOf = async (log: Pick<EventLog, 'bounds'>): Promise<number> => {
  const [status, events] = await Promise.all([log.bounds('render-status'), log.bounds('webhook-events')]);
  if (status.length !== events.length) {
    throw new Error(`render-status has ${status.length} partitions and webhook-events ${events.length}: they differ`);
  }
  return status.length;
};
