import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { HASH_BYTES } from '../merkle/hashes.ts';

export type Head = {
  readonly topic: string;
  readonly partition: number;
  readonly size: number;
  readonly root: Buffer;
};

export type HeadsEntry = { readonly time_ms: number; readonly heads: readonly Head[] };

const FIRST_LINE = 'rendering heads 1';

/**
 * An entry of a log has at most 65,535 bytes. A line of this entry has at most 17 + 1 + 4 + 1 + 16 + 1 + 44 + 1 = 85.
 */
export const MAX_HEADS = 512;

const byPlace = (a: Head, b: Head): number =>
  a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1;

/** Sorted by topic and partition, so that equal heads give equal bytes. */
export const headsEntryText = ({ time_ms, heads }: HeadsEntry): string =>
  [
    FIRST_LINE,
    new Date(time_ms).toISOString(),
    ...heads
      .toSorted(byPlace)
      .map(({ topic, partition, size, root }) => `${topic} ${partition} ${size} ${root.toString('base64')}`),
    '',
  ].join('\n');

const LINE = /^([A-Za-z0-9._-]+) (0|[1-9]\d{0,9}) ([1-9]\d{0,15}) ([A-Za-z0-9+/]{43}=)$/;

const parsedHead = (line: string): Head | null => {
  const [, topic = '', partition = '', size = '', base64 = ''] = LINE.exec(line) ?? [];
  const root = Buffer.from(base64, 'base64');
  const head = { topic, partition: Number(partition), size: Number(size), root };
  return topic !== '' && root.length === HASH_BYTES && Number.isSafeInteger(head.size) ? head : null;
};

/** Accepts only texts that `headsEntryText` writes. */
export const parseHeadsEntry = (text: string): Either<string, HeadsEntry> => {
  const [first, time = '', ...lines] = text.split('\n');
  if (first !== FIRST_LINE) return left(`its first line is not "${FIRST_LINE}"`);
  const time_ms = Date.parse(time);
  const heads = lines.slice(0, -1).flatMap((line) => parsedHead(line) ?? []);
  if (Number.isNaN(time_ms)) return left('its second line is not a time');
  const entry = { time_ms, heads };
  const places = new Set(heads.map(({ topic, partition }) => `${topic} ${partition}`));
  if (places.size < heads.length) return left('it names a partition twice');
  return headsEntryText(entry) === text ? right(entry) : left('its lines are not sorted heads');
};
