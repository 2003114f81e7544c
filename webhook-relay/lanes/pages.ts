import { messageOf } from '../../platform/logging/message-of.ts';
import { heldDelivery, placeOf } from './held-delivery.ts';
import { type Lane, type Moment, pageWanted, remainderOf } from './lane.ts';
import type { LaneMemory } from './lane-memory.ts';
import type { LanesParts } from './parts.ts';
import { secondOf } from './stored-places.ts';

/** Brings what waits in the store only into memory, when it is due. */
export type Pages = {
  /** Asks for a page if the lane can do with one. */
  readonly want: (lane: Lane) => void;
};

export type PagesParts = Pick<LanesParts, 'store' | 'clock' | 'warn' | 'crash'> & {
  readonly memory: LaneMemory;
  readonly moment: () => Moment;
  /** Whether the partition is ours, and known. */
  readonly isOpen: (partition: number) => boolean;
  readonly look: (lanes: Iterable<Lane>) => void;
};

const PAGES_AT_ONCE = 4;
const RETRY_MS = 1_000;

export const createPages = (parts: PagesParts): Pages => {
  const { store, memory, clock } = parts;
  const wanting = new Set<Lane>();
  let loading = 0;

  const load = async (lane: Lane, wanted: number): Promise<void> => {
    const { partition, endpoint_id } = lane;
    const asked = lane.stored.take(wanted, secondOf(clock.now()));
    const [first, last] = [asked[0], asked.at(-1)];
    if (first === undefined || last === undefined) return;
    const own = { asked };
    lane.loading = own;
    // What is here already may be on the page as well.
    const limit = wanted + lane.queue.length + lane.under_way.size;
    try {
      const due_before = (last.second + 1) * 1_000;
      const page = await store.due(partition, endpoint_id, due_before, limit, first.first_place);
      // Let go of meanwhile, and perhaps taken again: then everything is known anew.
      if (lane.loading !== own) return;
      lane.loading = null;
      const fresh = page.flatMap((delivery) => heldDelivery(delivery) ?? []).filter((held) => memory.offer(lane, held));
      const last_delivery = page.length < limit ? undefined : page.at(-1);
      const last_place = last_delivery === undefined ? null : placeOf(last_delivery);
      for (const stored of remainderOf(asked, last_place, fresh)) lane.stored.add(stored);
    } catch (error) {
      parts.warn({ reason: messageOf(error) }, 'deliveries that are due cannot be read yet');
      if (lane.loading !== own) return;
      lane.loading = null;
      for (const stored of asked) lane.stored.add(stored);
      lane.load_not_before = clock.now() + RETRY_MS;
    }
  };

  const begin = (): void => {
    for (const lane of wanting) {
      if (loading >= PAGES_AT_ONCE) return;
      wanting.delete(lane);
      const wanted = parts.isOpen(lane.partition) ? pageWanted(lane, parts.moment(), memory.share()) : 0;
      if (wanted === 0) continue;
      loading += 1;
      load(lane, wanted)
        .finally(() => {
          loading -= 1;
          begin();
          parts.look([lane]);
        })
        .catch(parts.crash);
    }
  };

  return {
    want: (lane) => {
      if (pageWanted(lane, parts.moment(), memory.share()) === 0) return;
      wanting.add(lane);
      begin();
    },
  };
};
