import type { EventLog } from '../../platform/event-log/event-log.ts';

/**
 * How many partitions `render-status` has. Throws where `webhook-events` has another number: a render's deliveries are
 * looked for in the partition of its events.
 */
export const partitionsOf = async (log: Pick<EventLog, 'partitions'>): Promise<number> => {
  const [status, events] = await Promise.all([log.partitions('render-status'), log.partitions('webhook-events')]);
  if (status !== events) {
    throw new Error(`render-status has ${status} partitions and webhook-events ${events}: they differ`);
  }
  return status;
};
