import type { Collection } from 'mongodb';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { laneStart, partitionStart, placeOfTime, waitingOfText } from '../../read-models/deliveries/waiting.ts';

/** Stands behind every letter and digit. */
const BEHIND_ALL = '~';
const SCANNED_AT_ONCE = 5_000;

/**
 * Reads all that waits in a partition, in order. A delivery that is moved meanwhile is moved to a later place, so it is
 * seen at one of the two at least. Some stores read everything that is in the range before they give the first.
 *
 * @param recover is asked after a failure; when it resolves, reading goes on behind what was read
 */
export const scanWaiting = async function* (
  deliveries: Collection<WebhookDeliveryDocument>,
  partition: number,
  recover: (error: unknown) => Promise<void>,
): AsyncIterable<{ readonly endpoint_id: string; readonly due_at: number }> {
  let after = partitionStart(partition);
  const end = `${after}${BEHIND_ALL}`;
  for (;;) {
    try {
      const found = deliveries
        .find<{ readonly waiting: string }>(
          { waiting: { $gt: after, $lt: end } },
          { projection: { waiting: 1, _id: 0 } },
        )
        .sort({ waiting: 1 })
        .batchSize(SCANNED_AT_ONCE);
      for await (const { waiting } of found) {
        after = waiting;
        const { endpoint_id, due_at } = waitingOfText(waiting);
        yield { endpoint_id, due_at };
      }
      return;
    } catch (error) {
      await recover(error);
    }
  }
};

/** A part of a lane, in its order, from a place on. */
export type LaneWindow = {
  readonly partition: number;
  readonly endpoint_id: string;
  readonly from_place: string;
  /** Milliseconds since the epoch. */
  readonly due_before: number;
};

export const readLane = async (
  deliveries: Collection<WebhookDeliveryDocument>,
  { partition, endpoint_id, from_place, due_before }: LaneWindow,
  limit: number,
  options: { readonly signal: AbortSignal },
): Promise<readonly WebhookDeliveryDocument[]> => {
  const lane = laneStart(partition, endpoint_id);
  const end = placeOfTime(Math.max(0, Math.ceil(due_before)));
  return await deliveries
    .find({ waiting: { $gte: `${lane}${from_place}`, $lt: `${lane}${end}` } }, options)
    .sort({ waiting: 1 })
    .limit(limit)
    .toArray();
};
