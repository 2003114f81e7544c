import { type EndpointQueue, unknownSeconds } from './endpoint-queue.ts';
import type { QueueParts } from './parts.ts';
import type { QueueMemory } from './queue-memory.ts';
import { untilStored } from './settlement.ts';
import { secondOf, storedAt } from './stored-deliveries.ts';

/** The partitions that are ours, and what waits in them. */
export type Partitions = {
  /** Resolves once it is known when anything is due, or the partition was let go of. Never rejects. */
  readonly take: (partition: number) => Promise<void>;
  readonly release: (partition: number) => void;
  readonly releaseAll: () => void;
  readonly isHeld: (partition: number) => boolean;
  /** Whether it is held, and known what waits in it: before that something older might be passed by. */
  readonly isOpen: (partition: number) => boolean;
};

export type PartitionsParts = Pick<QueueParts, 'store' | 'clock' | 'warn' | 'crash'> & {
  readonly memory: QueueMemory;
  readonly look: (queues: Iterable<EndpointQueue>) => void;
};

type Held = { readonly released: AbortController; is_open: boolean };

const UNREADABLE = 'what waits in a partition cannot be read yet';

/**
 * When what waits in the store is compared with what is known: soon after a partition was taken, because whoever had it
 * before may have stored what became of his last attempts while it was read, and once more when all of these have ended.
 */
const FIRST_LOOKS_MS = [2_000, 20_000];
/** And then, though nothing should be found. */
const LOOK_EVERY_MS = 300_000;
/** What has been due for as long as this, and was unknown, is told to operators. */
const OVERDUE_MS = 60_000;
const MISSED = 'overdue deliveries were found that were not in memory: they are taken up';

export const createPartitions = ({ store, clock, warn, crash, memory, look }: PartitionsParts): Partitions => {
  const all = new Map<number, Held>();

  const scan = async (partition: number, { released }: Held): Promise<void> => {
    for await (const { endpoint_id, due_at } of store.waiting(partition)) {
      if (released.signal.aborted) return;
      memory.queue(partition, endpoint_id).stored.add(storedAt(due_at));
    }
  };

  const compare = async (partition: number, { released }: Held): Promise<void> => {
    const shown = new Map<string, Map<number, number>>();
    for await (const { endpoint_id, due_at } of store.waiting(partition)) {
      if (released.signal.aborted) return;
      const seconds = shown.get(endpoint_id) ?? new Map<number, number>();
      shown.set(endpoint_id, seconds.set(secondOf(due_at), (seconds.get(secondOf(due_at)) ?? 0) + 1));
    }
    const overdue = secondOf(clock.now() - OVERDUE_MS);
    for (const [endpoint_id, seconds] of shown) {
      const queue = memory.queue(partition, endpoint_id);
      const unknown = unknownSeconds(queue, seconds);
      for (const second of unknown) queue.stored.add(storedAt(second * 1_000));
      if (unknown.some((second) => second < overdue)) warn({ partition, endpoint_id }, MISSED);
      look([queue]);
    }
  };

  /** Rejects once the partition is released. */
  const keepLooking = async (partition: number, held: Held): Promise<never> => {
    const { signal } = held.released;
    for (let looks = 0; ; looks += 1) {
      await clock.sleep(FIRST_LOOKS_MS[looks] ?? LOOK_EVERY_MS, signal);
      await untilStored({ clock, warn }, signal, UNREADABLE, () => compare(partition, held));
    }
  };

  const release = (partition: number): void => {
    all.get(partition)?.released.abort();
    all.delete(partition);
    for (const queue of memory.ofPartition(partition)) {
      memory.empty(queue);
      memory.tidy(queue);
    }
  };

  return {
    release,
    releaseAll: () => {
      for (const partition of all.keys()) release(partition);
    },
    isHeld: (partition) => all.has(partition),
    isOpen: (partition) => all.get(partition)?.is_open === true,
    take: async (partition) => {
      release(partition);
      const held: Held = { released: new AbortController(), is_open: false };
      all.set(partition, held);
      const { signal } = held.released;
      try {
        await untilStored({ clock, warn }, signal, UNREADABLE, () => scan(partition, held));
      } catch {
        return;
      }
      if (signal.aborted) return;
      held.is_open = true;
      keepLooking(partition, held).catch((error) => {
        if (!signal.aborted) crash(error);
      });
      look(memory.ofPartition(partition));
    },
  };
};
