import { messageOf } from '../../platform/logging/message-of.ts';
import { type EndpointQueue, type Moment, pageWanted, remainderOf } from './endpoint-queue.ts';
import { heldDelivery, queuePositionOf } from './held-delivery.ts';
import type { QueueParts } from './parts.ts';
import type { QueueMemory } from './queue-memory.ts';
import { secondOf } from './stored-deliveries.ts';

/** Brings what waits in the store only into memory, when it is due. */
export type Pages = {
  /** Asks for a page if the queue can do with one. */
  readonly want: (queue: EndpointQueue) => void;
};

export type PagesParts = Pick<QueueParts, 'store' | 'clock' | 'warn' | 'crash'> & {
  readonly memory: QueueMemory;
  readonly moment: () => Moment;
  /** Whether the partition is ours, and known. */
  readonly isOpen: (partition: number) => boolean;
  readonly look: (queues: Iterable<EndpointQueue>) => void;
};

const PAGES_AT_ONCE = 4;
const RETRY_MS = 1_000;

export const createPages = (parts: PagesParts): Pages => {
  const { store, memory, clock } = parts;
  const wanting = new Set<EndpointQueue>();
  let loading = 0;

  const load = async (queue: EndpointQueue, wanted: number): Promise<void> => {
    const { partition, endpoint_id } = queue;
    const asked = queue.stored.take(wanted, secondOf(clock.now()));
    const [first, last] = [asked[0], asked.at(-1)];
    if (first === undefined || last === undefined) return;
    const own = { asked };
    queue.loading = own;
    // What is here already may be on the page as well.
    const limit = wanted + queue.waiting.length + queue.under_way.size;
    try {
      const due_before = (last.second + 1) * 1_000;
      const page = await store.due(partition, endpoint_id, due_before, limit, first.first_position);
      // Let go of meanwhile, and perhaps taken again: then everything is known anew.
      if (queue.loading !== own) return;
      queue.loading = null;
      const fresh = page
        .flatMap((delivery) => heldDelivery(delivery) ?? [])
        .filter((held) => memory.offer(queue, held));
      const last_delivery = page.length < limit ? undefined : page.at(-1);
      const last_position = last_delivery === undefined ? null : queuePositionOf(last_delivery);
      for (const stored of remainderOf(asked, last_position, fresh)) queue.stored.add(stored);
    } catch (error) {
      parts.warn({ reason: messageOf(error) }, 'deliveries that are due cannot be read yet');
      if (queue.loading !== own) return;
      queue.loading = null;
      for (const stored of asked) queue.stored.add(stored);
      queue.load_not_before = clock.now() + RETRY_MS;
    }
  };

  const begin = (): void => {
    for (const queue of wanting) {
      if (loading >= PAGES_AT_ONCE) return;
      wanting.delete(queue);
      const wanted = parts.isOpen(queue.partition) ? pageWanted(queue, parts.moment(), memory.share()) : 0;
      if (wanted === 0) continue;
      loading += 1;
      load(queue, wanted)
        .finally(() => {
          loading -= 1;
          begin();
          parts.look([queue]);
        })
        .catch(parts.crash);
    }
  };

  return {
    want: (queue) => {
      if (pageWanted(queue, parts.moment(), memory.share()) === 0) return;
      wanting.add(queue);
      begin();
    },
  };
};
