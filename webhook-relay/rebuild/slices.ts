import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { IdRange } from '../../read-models/deliveries/deliveries.ts';
import { type DeliveryHistory, endOf, historyAfter, type PlacedEvent } from '../plan/delivery-history.ts';
import { repeatIn } from '../plan/requested-delivery.ts';

/**
 * Events of a partition that are folded in one pass: what they tell is in memory, about a kilobyte for each delivery. A
 * longer log is read as often as it takes, each time for another range of ids.
 */
const EVENTS_OF_A_SLICE = 200_000;

export const slicesOf = (events: number): number => Math.max(1, Math.ceil(events / EVENTS_OF_A_SLICE));

const DIGITS = 4;
const PARTS = 16 ** DIGITS;

/** The ids of deliveries begin with a hash; others are in the first or the last slice. */
const boundOf = (slice: number, slices: number): string =>
  `hook_${Math.floor((slice * PARTS) / slices)
    .toString(16)
    .padStart(DIGITS, '0')}`;

export const sliceOf = (slice: number, slices: number): IdRange => ({
  from: slice === 0 ? null : boundOf(slice, slices),
  to: slice >= slices - 1 ? null : boundOf(slice + 1, slices),
});

export const isInSlice = (id: string, { from, to }: IdRange): boolean =>
  (from === null || id >= from) && (to === null || id < to);

/** What the log tells of one delivery. */
export type LoggedDelivery = {
  readonly history: DeliveryHistory;
  /**
   * The delivery that repeats it, as it may be noted: with the last one that was planned, or with the last one that was
   * not skipped. The latter is what a lost state would be made with.
   */
  readonly repeated_by: readonly (string | null)[];
};

/** Folds events of a partition, in their order, as far as they are about deliveries of a range. */
export type SliceFold = {
  readonly take: (placed: PlacedEvent) => void;
  readonly ids: () => Iterable<string>;
  /** Null where no event tells of it. */
  readonly find: (delivery_id: string) => LoggedDelivery | null;
};

const isRepeatNoted = ({ delivery }: DeliveryHistory): boolean => delivery.stage !== 'requested';

const isRepeatMade = (history: DeliveryHistory): boolean => {
  const { id: _id, repeats, reason } = history.delivery;
  return repeatIn({ _id, repeats, state: endOf(history)?.state ?? 'pending', reason }).length > 0;
};

export const sliceFold = (slice: IdRange, schedule: RetrySchedule): SliceFold => {
  const histories = new Map<string, DeliveryHistory>();
  /** By the delivery that they repeat. Their own ids are anywhere. */
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
