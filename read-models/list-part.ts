import type { ListOrder, Period } from '../schemas/http/query.ts';
import { listPosition } from './position.ts';

/** After `after`, up to and including `until`. Null is the beginning and the end of the list. */
export type ListPart = { readonly after: string | null; readonly until: string | null };

export const restOfList = (after: string | null): ListPart => ({ after, until: null });

/** Positions have 13 digits of time (until the year 2286). Later times would sort before all others. */
const LAST_MS = 9_999_999_999_999;

/** Sorts before all positions of this time and after all earlier ones. */
const boundAt = (at: number | null): string | null =>
  at === null ? null : listPosition(Math.min(LAST_MS, Math.max(0, at)), '');

/** The rest of a list after a position, as far as it lies in the period. */
export const partInPeriod = ({ since, until }: Period, order: ListOrder, after: string | null): ListPart => {
  const [oldest, newest] = [boundAt(since), boundAt(until)];
  const [first, last] = order === 'asc' ? [oldest, newest] : [newest, oldest];
  const is_behind = after !== null && (first === null || (order === 'asc' ? after > first : after < first));
  return { after: is_behind ? after : first, until: last };
};
