import type { DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { skipped } from '../queues/outcome.ts';

export type EraseParts = {
  readonly store: Pick<DeliveryStore, 'pendingOf' | 'dropAnswers'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly queues: Pick<EndpointQueues, 'skipAllOf'>;
};

/**
 * The render was erased: what waits of its deliveries is skipped, with its body, and what endpoints have answered is
 * dropped. An attempt under way ends by itself, and its outcome comes too late to be kept. May be repeated; rejects once
 * `stop` aborts.
 */
export const eraseDeliveries = async (
  { store, recorder, queues }: EraseParts,
  render_id: string,
  stop: AbortSignal,
): Promise<void> => {
  queues.skipAllOf(render_id);
  // Again where the outcome of an attempt was stored meanwhile.
  for (;;) {
    const pending = await store.pendingOf(render_id);
    if (pending.length === 0) break;
    for (const delivery of pending) {
      await recorder.record(delivery, skipped({ delivery }, 'erased'), stop);
      stop.throwIfAborted();
    }
  }
  await store.dropAnswers(render_id);
};
