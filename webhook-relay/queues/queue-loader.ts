import { messageOf } from '../../platform/logging/message-of.ts';
import { retryUntilStored } from './attempts.ts';
import {
  type EndpointQueue,
  type QueueAction,
  remainingSeconds,
  type SchedulingTime,
  secondsToLoad,
  wantedPageSize,
} from './endpoint-queue.ts';
import type { EndpointQueueDependencies } from './parts.ts';
import type { QueueTable } from './queue-table.ts';
import { type DueSecond, dueSecondOf, queuedDelivery, queuePositionOf, secondOf } from './queued-delivery.ts';

export type AssignedPartitions = {
  /** Loads the due times of a partition. Resolves once all are loaded, or the partition is revoked. Never rejects. */
  readonly take: (partition: number) => Promise<void>;
  readonly release: (partition: number) => void;
  readonly releaseAll: () => void;
  readonly isAssigned: (partition: number) => boolean;
  /** Whether all due times are loaded. Before that, a delivery could be sent ahead of an older one. */
  readonly isLoaded: (partition: number) => boolean;
};

export type AssignedPartitionsDependencies = Pick<EndpointQueueDependencies, 'store' | 'clock' | 'warn' | 'crash'> & {
  readonly table: QueueTable;
  readonly onChange: (queues: Iterable<EndpointQueue>) => void;
};

type PartitionState = { readonly revoked: AbortController; readonly is_loaded: boolean };

const UNREADABLE = 'waiting deliveries of a partition cannot be read yet';

/**
 * The pauses before the first two comparisons with the store. They are short, because the former owner may store
 * outcomes until its last attempts have ended.
 */
const FIRST_LOOKS_MS = [2_000, 20_000];
/** The interval of all later comparisons, which should find nothing. */
const LOOK_EVERY_MS = 300_000;
/** If a comparison finds a delivery that is overdue for longer than this, the process logs a warning. */
const OVERDUE_MS = 60_000;
const MISSED = 'found overdue deliveries that were not in memory; sending them';

const MAX_SCANNED = 1_000;

const scan = async (
  { store, table }: AssignedPartitionsDependencies,
  partition: number,
  revoked: AbortSignal,
): Promise<void> => {
  let found = new Map<string, DueSecond[]>();
  let count = 0;
  const flush = (): void => {
    for (const [endpoint_id, seconds] of found)
      table.apply(table.queue(partition, endpoint_id), { tag: 'found_in_store', seconds });
    found = new Map();
    count = 0;
  };
  for await (const { endpoint_id, due_at } of store.waiting(partition)) {
    if (revoked.aborted) return;
    const seconds = found.get(endpoint_id) ?? [];
    seconds.push(dueSecondOf(due_at));
    found.set(endpoint_id, seconds);
    count += 1;
    if (count >= MAX_SCANNED) flush();
  }
  if (!revoked.aborted) flush();
};

const compare = async (
  parts: AssignedPartitionsDependencies,
  partition: number,
  revoked: AbortSignal,
): Promise<void> => {
  const { store, clock, warn, table, onChange } = parts;
  const shown = new Map<string, Map<number, number>>();
  for await (const { endpoint_id, due_at } of store.waiting(partition)) {
    if (revoked.aborted) return;
    const seconds = shown.get(endpoint_id) ?? new Map<number, number>();
    shown.set(endpoint_id, seconds.set(secondOf(due_at), (seconds.get(secondOf(due_at)) ?? 0) + 1));
  }
  const overdue = secondOf(clock.now() - OVERDUE_MS);
  for (const [endpoint_id, counts] of shown) {
    const queue = table.queue(partition, endpoint_id);
    const unknown = secondsToLoad(table.state(queue), counts);
    const seconds = unknown.map((second) => dueSecondOf(second * 1_000));
    if (seconds.length > 0) table.apply(queue, { tag: 'found_in_store', seconds });
    if (unknown.some((second) => second < overdue)) warn({ partition, endpoint_id }, MISSED);
    onChange([queue]);
  }
};

export const createAssignedPartitions = (parts: AssignedPartitionsDependencies): AssignedPartitions => {
  const { clock, crash, table, onChange } = parts;
  const partitions = new Map<number, PartitionState>();

  const keepComparing = async (partition: number, signal: AbortSignal): Promise<never> => {
    for (let looks = 0; ; looks += 1) {
      await clock.sleep(FIRST_LOOKS_MS[looks] ?? LOOK_EVERY_MS, signal);
      await retryUntilStored(parts, signal, UNREADABLE, () => compare(parts, partition, signal));
    }
  };

  const release = (partition: number): void => {
    partitions.get(partition)?.revoked.abort();
    partitions.delete(partition);
    for (const queue of table.ofPartition(partition)) {
      table.apply(queue, { tag: 'released' });
      table.tidy(queue);
    }
  };

  return {
    release,
    releaseAll: () => {
      for (const partition of partitions.keys()) release(partition);
    },
    isAssigned: (partition) => partitions.has(partition),
    isLoaded: (partition) => partitions.get(partition)?.is_loaded === true,
    take: async (partition) => {
      release(partition);
      const revoked = new AbortController();
      const { signal } = revoked;
      partitions.set(partition, { revoked, is_loaded: false });
      try {
        await retryUntilStored(parts, signal, UNREADABLE, () => scan(parts, partition, signal));
      } catch {
        return;
      }
      if (signal.aborted) return;
      partitions.set(partition, { revoked, is_loaded: true });
      keepComparing(partition, signal).catch((error) => {
        if (!signal.aborted) crash(error);
      });
      onChange(table.ofPartition(partition));
    },
  };
};

export type PageLoader = {
  readonly want: (queue: EndpointQueue) => void;
};

export type PageLoaderDependencies = AssignedPartitionsDependencies &
  Pick<AssignedPartitions, 'isLoaded'> & { readonly moment: () => SchedulingTime };

const MAX_PAGES_AT_ONCE = 4;
const RETRY_MS = 1_000;

const readPage = async (
  { store, table, clock, warn }: PageLoaderDependencies,
  queue: EndpointQueue,
  { page, due_before, limit, from_position }: QueueAction,
): Promise<void> => {
  const { partition, endpoint_id } = queue;
  // If the partition is revoked meanwhile, the page is dropped. After a new assignment, the due times are read again.
  const isCurrent = (): boolean => table.state(queue).page === page;
  try {
    const deliveries = await store.due(partition, endpoint_id, due_before, limit, from_position);
    if (!isCurrent()) return;
    table.apply(queue, { tag: 'page_read' });
    const added = deliveries
      .flatMap((delivery) => queuedDelivery(delivery) ?? [])
      .filter((queued) => table.offer(queue, queued));
    const last_delivery = deliveries.length < limit ? undefined : deliveries.at(-1);
    const last_position = last_delivery === undefined ? null : queuePositionOf(last_delivery);
    table.apply(queue, { tag: 'found_in_store', seconds: remainingSeconds(page, last_position, added) });
  } catch (error) {
    warn({ reason: messageOf(error) }, 'deliveries that are due cannot be read yet');
    if (isCurrent()) table.apply(queue, { tag: 'page_failed', retry_at: clock.now() + RETRY_MS });
  }
};

export const createPageLoader = (parts: PageLoaderDependencies): PageLoader => {
  const { table, clock } = parts;
  const wanting = new Set<EndpointQueue>();
  let reading = 0;
  const wantedBy = (queue: EndpointQueue): number => wantedPageSize(table.state(queue), parts.moment(), table.share());

  const begin = (): void => {
    for (const queue of wanting) {
      if (reading >= MAX_PAGES_AT_ONCE) return;
      wanting.delete(queue);
      const wanted = parts.isLoaded(queue.partition) ? wantedBy(queue) : 0;
      if (wanted === 0) continue;
      for (const action of table.apply(queue, { tag: 'page_wanted', wanted, until: secondOf(clock.now()) })) {
        reading += 1;
        readPage(parts, queue, action)
          .finally(() => {
            reading -= 1;
            begin();
            parts.onChange([queue]);
          })
          .catch(parts.crash);
      }
    }
  };

  return {
    want: (queue) => {
      if (wantedBy(queue) === 0) return;
      wanting.add(queue);
      begin();
    },
  };
};
