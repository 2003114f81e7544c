import type { DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { skippedOutcome } from '../queues/outcome.ts';
import type { OwnedPartition } from './owned-partition.ts';

export type EraseDeliveriesDependencies = {
  readonly store: Pick<DeliveryStore, 'pendingOf' | 'dropAnswers'>;
  readonly recorder: Pick<Recorder, 'plan' | 'record'>;
  readonly queues: Pick<EndpointQueues, 'skipAllOf'>;
};

type Owned = Pick<OwnedPartition, 'partition' | 'signal'>;

/**
 * Erases the stored data of the render's deliveries.
 *
 * @returns whether the store still had such data
 */
const eraseOnce = async (
  { store, recorder }: EraseDeliveriesDependencies,
  render_id: string,
  stop: AbortSignal,
): Promise<boolean> => {
  let was_left = false;
  // Looks again after each round, because an attempt may have stored its outcome meanwhile.
  for (;;) {
    const pending = await store.pendingOf(render_id);
    if (pending.length === 0) break;
    was_left = true;
    for (const delivery of pending) {
      await recorder.record(delivery, skippedOutcome({ delivery }, 'erased'), stop);
      stop.throwIfAborted();
    }
  }
  return (await store.dropAnswers(render_id)) || was_left;
};

/**
 * Erases a render: skips its pending deliveries, which deletes their bodies, and deletes the endpoints' answers.
 * Running attempts end, and the store refuses their outcomes.
 *
 * A store that is restored from a backup may contain the data again. To detect this, an empty plan is stored after the
 * erasure. A store that was restored to an earlier state refuses the next plan, and the partition is read again. If the
 * backup was restored before the empty plan was stored, the loop finds the data.
 *
 * May be repeated. Rejects once the partition is revoked, and with `PartitionTaken` as `plan` does.
 */
export const eraseDeliveries = async (
  parts: EraseDeliveriesDependencies,
  { partition, signal }: Owned,
  render_id: string,
): Promise<void> => {
  parts.queues.skipAllOf(render_id);
  while (await eraseOnce(parts, render_id, signal)) {
    await parts.recorder.plan({ partition, deliveries: [], repeated: [], next: {} }, new Map(), signal);
    signal.throwIfAborted();
  }
};
