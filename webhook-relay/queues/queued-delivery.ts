import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import {
  dueAtOfQueuePosition,
  queuePositionOfText,
  queuePositionOfTime,
} from '../../read-models/deliveries/waiting.ts';

/** A pending delivery in memory, without the endpoint's answers to save memory. */
export type QueuedDelivery = {
  readonly delivery: WebhookDeliveryDocument;
  readonly body: string;
  readonly due_at: number;
  readonly position: string;
};

export const queuePositionOf = ({ waiting }: Pick<WebhookDeliveryDocument, 'waiting'>): string | null =>
  waiting === undefined ? null : queuePositionOfText(waiting);

/** A text that sorts after the position and before the next one; no delivery has it as its position. */
export const queuePositionAfter = (position: string): string => `${position}~`;

export const queuedDelivery = (delivery: WebhookDeliveryDocument): QueuedDelivery | null => {
  const { state, body, attempts } = delivery;
  const position = queuePositionOf(delivery);
  if (state !== 'pending' || position === null || body === null) return null;
  return {
    delivery: { ...delivery, attempts: attempts.map((attempt) => ({ ...attempt, response: null })) },
    body,
    due_at: dueAtOfQueuePosition(position),
    position,
  };
};

/** Deliveries that only the store has and that are due within one second. */
export type DueSecond = {
  readonly second: number;
  /** The lowest position among them. */
  readonly first_position: string;
  readonly count: number;
};

/**
 * Deliveries of a queue that only the store has. The size of this list depends on the number of seconds, not of
 * deliveries.
 */
export type StoredDeliveries = {
  readonly seconds: readonly DueSecond[];
  readonly count: number;
};

export const NO_STORED_DELIVERIES: StoredDeliveries = { seconds: [], count: 0 };

export const secondOf = (at_ms: number): number => Math.floor(at_ms / 1_000);

export const dueSecondOf = (due_at: number): DueSecond => ({
  second: secondOf(due_at),
  first_position: queuePositionOfTime(due_at),
  count: 1,
});

export const lowerPosition = (a: string, b: string): string => (a < b ? a : b);

const sumOf = (seconds: readonly DueSecond[]): number => seconds.reduce((sum, { count }) => sum + count, 0);

const joined = (a: DueSecond, b: DueSecond): DueSecond => ({
  second: a.second,
  first_position: lowerPosition(a.first_position, b.first_position),
  count: a.count + b.count,
});

const withSecond = (seconds: readonly DueSecond[], added: DueSecond): readonly DueSecond[] => {
  const index = seconds.findLastIndex(({ second }) => second <= added.second);
  const known = seconds[index];
  if (known?.second === added.second) return seconds.with(index, joined(known, added));
  return seconds.toSpliced(index + 1, 0, added);
};

const withSeconds = (seconds: readonly DueSecond[], added: readonly DueSecond[]): readonly DueSecond[] => {
  const all: DueSecond[] = [];
  for (const one of [...seconds, ...added].sort((a, b) => a.second - b.second)) {
    const last = all.at(-1);
    if (last?.second === one.second) all[all.length - 1] = joined(last, one);
    else all.push(one);
  }
  return all;
};

export const addStoredSeconds = (
  { seconds, count }: StoredDeliveries,
  added: readonly DueSecond[],
): StoredDeliveries => {
  const [first, ...others] = added;
  if (first === undefined) return { seconds, count };
  return {
    // A single addition is frequent, so it must not sort the whole list.
    seconds: others.length === 0 ? withSecond(seconds, first) : withSeconds(seconds, added),
    count: count + sumOf(added),
  };
};

/**
 * Splits off the first seconds, with about `wanted` deliveries. At least one second is taken; further ones only up to
 * `until`.
 */
export const splitStoredSeconds = (
  { seconds, count }: StoredDeliveries,
  wanted: number,
  until: number,
): { readonly taken: readonly DueSecond[]; readonly rest: StoredDeliveries } => {
  let found = 0;
  let length = 0;
  for (const one of seconds) {
    if (length > 0 && (found >= wanted || one.second > until)) break;
    found += one.count;
    length += 1;
  }
  return { taken: seconds.slice(0, length), rest: { seconds: seconds.slice(length), count: count - found } };
};
