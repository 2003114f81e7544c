import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { IdRange } from '../../read-models/deliveries/deliveries.ts';
import { type DeliveryHistory, deliveryEndOf, historyAfter, type PlacedEvent } from '../plan/delivery-history.ts';
import { repeatLinkOf } from '../plan/requested-delivery.ts';

/**
 * The maximum number of events in a slice, because a delivery takes about 1 KB of memory. A longer log is read several
 * times, each time for another range of ids.
 */
const EVENTS_OF_A_SLICE = 200_000;

export const sliceCount = (events: number): number => Math.max(1, Math.ceil(events / EVENTS_OF_A_SLICE));

const DIGITS = 4;
const PARTS = 16 ** DIGITS;

/**
 * The first id of a slice. Ids of planned deliveries begin with a hash. Other ids fall into the first or last slice.
 */
const boundOf = (slice: number, slices: number): string =>
  `hook_${Math.floor((slice * PARTS) / slices)
    .toString(16)
    .padStart(DIGITS, '0')}`;

export const sliceRange = (slice: number, slices: number): IdRange => ({
  from: slice === 0 ? null : boundOf(slice, slices),
  to: slice >= slices - 1 ? null : boundOf(slice + 1, slices),
});

export const isInSlice = (id: string, { from, to }: IdRange): boolean =>
  (from === null || id >= from) && (to === null || id < to);

export type SliceDelivery = {
  readonly history: DeliveryHistory;
  /**
   * The values of `repeated_by` that a stored delivery may have: the last repeat that was not skipped, or the last
   * planned one. If the delivery is restored, it gets the first of them.
   */
  readonly repeated_by: readonly (string | null)[];
};

export type SliceFold = {
  readonly take: (placed: PlacedEvent) => void;
  readonly ids: () => Iterable<string>;
  readonly find: (delivery_id: string) => SliceDelivery | null;
};

const isRepeatNoted = ({ delivery }: DeliveryHistory): boolean => delivery.stage !== 'requested';

const isRepeatMade = (history: DeliveryHistory): boolean => {
  const { id: _id, repeats, reason } = history.delivery;
  return repeatLinkOf({ _id, repeats, state: deliveryEndOf(history)?.state ?? 'pending', reason }).length > 0;
};

export const createSliceFold = (slice: IdRange, schedule: RetrySchedule): SliceFold => {
  const histories = new Map<string, DeliveryHistory>();
  /** The ids of repeats, by the id of the repeated delivery. The repeats may be outside the slice. */
  const repeats = new Map<string, Set<string>>();

  const concerns = ({ event }: PlacedEvent): boolean => {
    if (isInSlice(event.delivery_id, slice) || histories.has(event.delivery_id)) return true;
    return 'repeats' in event && event.repeats !== null && isInSlice(event.repeats, slice);
  };

  return {
    take: (placed) => {
      if (!concerns(placed)) return;
      const { event } = placed;
      const after = historyAfter(histories.get(event.delivery_id) ?? null, placed, schedule);
      if (after === null) return;
      histories.set(event.delivery_id, after);
      const { id, repeats: repeated } = after.delivery;
      if (repeated !== null) repeats.set(repeated, (repeats.get(repeated) ?? new Set()).add(id));
    },
    ids: () => Iterator.from(histories.keys()).filter((id) => isInSlice(id, slice)),
    find: (id) => {
      const history = histories.get(id);
      if (history === undefined) return null;
      const by = [...(repeats.get(id) ?? [])].flatMap((one) => histories.get(one) ?? []);
      const lastOf = (isIt: (one: DeliveryHistory) => boolean): string | null => by.findLast(isIt)?.delivery.id ?? null;
      return { history, repeated_by: [lastOf(isRepeatMade), lastOf(isRepeatNoted)] };
    },
  };
};
