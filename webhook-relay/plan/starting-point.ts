import { StopPartition } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { UnstoredAppends } from '../events/recorder.ts';
import type { DeliveryStore } from '../ports.ts';
import type { PlacedEvent } from './delivery-history.ts';
import type { StartingPoint } from './owned-partition.ts';
import { type KnownDeliveries, nextRequestOf } from './partition-state.ts';
import { type PositionFromLog, readKnownDeliveries, readPositionFromLog, webhookEvents } from './position-from-log.ts';
import { type ReconcileDependencies, reconcile } from './reconcile.ts';
import { historyRestorer, type RestoreHistoryDependencies } from './restore-history.ts';

export type StartingPointDependencies = ReconcileDependencies &
  RestoreHistoryDependencies & {
    readonly records: RecordLog;
    readonly store: Pick<DeliveryStore, 'delivery' | 'position' | 'plan' | 'restore'>;
    readonly unstored: UnstoredAppends;
    readonly logger: Pick<Logger, 'info'>;
    /** The position that an earlier version of the relay committed in a partition of `render-status`; 0 if none. */
    readonly formerPosition: (partition: number) => Promise<number>;
    readonly warn: Warn;
  };

const NOTHING: KnownDeliveries = { settled: new Set(), logged: new Map(), ahead: null };

const restoreFromLog = async (
  parts: StartingPointDependencies,
  partition: number,
  events: AsyncIterable<PlacedEvent>,
  position: PositionFromLog,
  stop: AbortSignal,
): Promise<KnownDeliveries> => {
  const history = historyRestorer(parts, partition, stop);
  const known = await readKnownDeliveries(events, position, parts.schedule, history.add);
  const restored = await history.flush();
  const next = { next_status: position.next_status, next_request: nextRequestOf(position, known.ahead) };
  await parts.store.plan({ partition, deliveries: [], repeated: [], next }, stop);
  parts.logger.info({ partition, restored, open: known.logged.size }, 'restored the state from webhook-events');
  return known;
};

/** Stops the partition if the log was restored to an earlier state, because new records would then count as planned. */
const refuseOlderLog = (topic: Topic, end: number, position: number): void => {
  if (end < position)
    throw new StopPartition(`${topic} ends at ${end}, before the position ${position}: records were lost`);
};

/**
 * Makes this process the owner of a partition, and finds where planning starts. A rebalance waits for this, but not for
 * `readLog`. Without a stored state, planning starts from the log, or at the position of an earlier version. Rejects on
 * outage, once `stop` aborts, and with `StopPartition` if the log ends before the stored position.
 */
export const startingPoint = async (
  parts: StartingPointDependencies,
  partition: number,
  stop: AbortSignal,
): Promise<StartingPoint> => {
  const { records, store, unstored, warn } = parts;
  const stored = await store.position(partition);
  stop.throwIfAborted();
  // The end is read after the position, so that it includes all plans of the former owner.
  const bounds = await records.log.reachableBounds('webhook-events');
  const end = bounds.find((one) => one.partition === partition)?.end;
  if (end === undefined) throw new Error(`partition ${partition} of webhook-events has no leader`);
  stop.throwIfAborted();
  unstored.reset(partition, end);
  if (stored !== null) {
    const { next_status, next_request, last_planned_at } = stored;
    refuseOlderLog('webhook-events', end, next_request);
    const statuses = await records.log.reachableBounds('render-status');
    const status_end = statuses.find((one) => one.partition === partition)?.end;
    if (status_end !== undefined) refuseOlderLog('render-status', status_end, next_status);
    const readLog = async (): Promise<KnownDeliveries> => {
      const history = historyRestorer(parts, partition, stop);
      const events = webhookEvents(records, partition, next_request, end, stop);
      const known = await reconcile(parts, events, next_status, history.add, stop);
      await history.flush();
      return known;
    };
    return { next_status, next_request, last_planned_at, readLog };
  }
  const first_status = await parts.formerPosition(partition);
  const events = () => webhookEvents(records, partition, 0, end, stop);
  if (end > 0) warn({ partition }, 'this partition has no state: restoring it from webhook-events');
  const position = await readPositionFromLog(events(), end, first_status, parts.schedule);
  return {
    next_status: position.next_status,
    next_request: position.next_request,
    last_planned_at: position.last_planned_at,
    readLog: () => (end === 0 ? Promise.resolve(NOTHING) : restoreFromLog(parts, partition, events(), position, stop)),
  };
};
