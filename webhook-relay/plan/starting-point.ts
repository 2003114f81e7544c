import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { InFlight } from '../events/in-flight.ts';
import type { DeliveryStore } from '../ports.ts';
import type { StartingPoint } from './owned-partition.ts';
import { startingPointOf, webhookEvents } from './position-from-log.ts';
import { type ReconcileParts, reconcile } from './reconcile.ts';

export type StartingPointParts = ReconcileParts & {
  readonly records: RecordLog;
  readonly store: Pick<DeliveryStore, 'delivery' | 'position'>;
  readonly unstored: InFlight;
  /** Where the former relay stood in a partition of `render-status`; 0 where it never was. */
  readonly formerPosition: (partition: number) => Promise<number>;
  readonly warn: Warn;
};

/**
 * Makes a partition ours, and brings its state level with the log. Where there is no state it is made from the log, or
 * goes on where the former relay was. Rejects while store or log are away, and once `stop` aborts.
 */
export const startingPoint = async (
  parts: StartingPointParts,
  partition: number,
  stop: AbortSignal,
): Promise<StartingPoint> => {
  const { records, store, unstored, warn } = parts;
  const kept = await store.position(partition);
  stop.throwIfAborted();
  // JsonOption for only now: what its former owner has planned stands before that.
  const bounds = await records.log.bounds('webhook-events');
  const end = bounds.find((its) => its.partition === partition)?.end ?? 0;
  stop.throwIfAborted();
  unstored.taken(partition, end);
  if (kept !== null) {
    const { next_status, next_request, last_planned_at } = kept;
    const events = webhookEvents(records, partition, next_request, end);
    return { next_status, next_request, last_planned_at, ...(await reconcile(parts, events, next_status, stop)) };
  }
  const first_status = await parts.formerPosition(partition);
  if (end > 0) warn({ partition }, 'there is no state of this partition: it is made from webhook-events');
  return await startingPointOf(() => webhookEvents(records, partition, 0, end), end, first_status, parts.schedule);
};
