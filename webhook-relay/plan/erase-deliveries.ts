import type { DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { skipped } from '../queues/outcome.ts';
import type { OwnedPartition } from './owned-partition.ts';

export type EraseParts = {
  readonly store: Pick<DeliveryStore, 'pendingOf' | 'dropAnswers'>;
  readonly recorder: Pick<Recorder, 'plan' | 'record'>;
  readonly queues: Pick<EndpointQueues, 'skipAllOf'>;
};

type Owned = Pick<OwnedPartition, 'partition' | 'signal'>;

/** Whether anything of the render's deliveries was left. */
const eraseOnce = async ({ store, recorder }: EraseParts, render_id: string, stop: AbortSignal): Promise<boolean> => {
  let was_left = false;
  // Again where the outcome of an attempt was stored meanwhile.
  for (;;) {
    const pending = await store.pendingOf(render_id);
    if (pending.length === 0) break;
    was_left = true;
    for (const delivery of pending) {
      await recorder.record(delivery, skipped({ delivery }, 'erased'), stop);
      stop.throwIfAborted();
    }
  }
  return (await store.dropAnswers(render_id)) || was_left;
};

/**
 * The render was erased: what waits of its deliveries is skipped, with its body, and what endpoints have answered is
 * dropped. An attempt under way ends by itself, and its outcome comes too late to be kept.
 *
 * A store that is restored from a backup may have it all again. So an empty plan follows: it is refused where the store
 * lost a plan, and a backup from before the erasure lacks the empty plan, so the partition is read again. A backup that was
 * restored before the empty plan was stored shows what it has when the deliveries are read once more.
 *
 * May be repeated; rejects once the partition's signal aborts, and with `PartitionTaken` as `plan` does.
 */
export const eraseDeliveries = async (
  parts: EraseParts,
  { partition, signal }: Owned,
  render_id: string,
): Promise<void> => {
  parts.queues.skipAllOf(render_id);
  while (await eraseOnce(parts, render_id, signal)) {
    await parts.recorder.plan({ partition, deliveries: [], repeated: [], next: {} }, new Map(), signal);
    signal.throwIfAborted();
  }
};
