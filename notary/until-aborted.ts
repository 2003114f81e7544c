import type { EventLog } from '../platform/event-log/event-log.ts';

/**
 * A log whose replays reject when the process stops. Otherwise an aborted replay would look like a log without records.
 */
export const rejectReplaysOnAbort = (
  log: Pick<EventLog, 'bounds' | 'replay'>,
  stopping: AbortSignal,
): Pick<EventLog, 'bounds' | 'replay'> => ({
  bounds: log.bounds,
  async *replay(topic, partition, from, to) {
    yield* log.replay(topic, partition, from, to);
    stopping.throwIfAborted();
  },
});
