import { setTimeout as wait } from 'node:timers/promises';
import type { Render, Transition } from '../domain/render/render.ts';
import type { RenderFactAccepted } from '../domain/render/status.ts';
import type { ConsumerPositions } from '../platform/consumer-position/consumer-positions.ts';
import { type Progress, progressFrom } from '../platform/consumer-position/progress.ts';
import { type LogRecord, type RecordBatch, StopPartition } from '../platform/event-log/event-log.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import { type DeliveryEnd, deliver, type Slots } from './deliver.ts';
import { type Delivery, deliveriesOf } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import type { Schedule } from './schedule.ts';

/** What the relay works with. */
export type RelayParts = {
  readonly records: RecordLog;
  readonly positions: ConsumerPositions;
  /** Null: none is configured, and the relay only moves on. */
  readonly endpoint: Endpoint | null;
  readonly schedule: Schedule;
  readonly slots: Slots;
  /** Signed URLs of a complete render, by variant. Tries until it has them; null when it was told to stop before. */
  readonly outputOf: (render: Render, stop: AbortSignal) => Promise<Readonly<Record<string, string>> | null>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly on_end: (delivery: Delivery, end: DeliveryEnd) => void;
  /** A record that is passed by, and why. */
  readonly on_poison: (record: LogRecord, reason: string) => void;
  /** The store did not take a position: it is tried again. */
  readonly on_unsaved: (error: unknown) => void;
  readonly pause: (topic: string, partition: number) => void;
  readonly resume: (topic: string, partition: number) => void;
  readonly crash: (error: unknown) => void;
};

export type Relay = {
  readonly position: (topic: string, partition: number) => Promise<number>;
  readonly take: (batch: RecordBatch) => Promise<void>;
  readonly revoked: (topic: string, partitions: readonly number[]) => Promise<void>;
  /** Lets attempts under way end, for a moment; the rest stays owed. Resolves once the positions are written. */
  readonly stop: () => Promise<void>;
};

/** Transitions of one partition that may be under way; above it the partition waits. */
const MOST_UNFINISHED = 500;

/** Between two tries to write a position, while the store is away. */
const SAVE_PAUSE_MS = 1_000;

/** For attempts under way when the process is told to stop. */
const GRACE_MS = 5_000;

/** One partition while it is ours. */
type Held = {
  readonly topic: string;
  readonly partition: number;
  readonly progress: Progress;
  /** No further attempts. */
  readonly stopping: AbortController;
  /** No attempts at all: for those that are still under way at the end of a stop. */
  readonly cutting: AbortController;
  readonly under_way: Set<Promise<void>>;
  /** For each render under way: ends with the first attempts of its latest transition. */
  readonly tails: Map<string, Promise<void>>;
  /** `source_offset` of the last record that was taken: what is not above it is a repeat. */
  last_source_offset: number;
  saved: number;
  saving: Promise<void> | null;
  paused: boolean;
};

/**
 * One write at a time for each partition, which ends only when the latest position is written, or when the partition is
 * let go of: what was delivered above a position that is kept is delivered again, under the same ids. Never rejects.
 */
const savePosition = (parts: RelayParts, held: Held): Promise<void> => {
  if (held.saving !== null) return held.saving;
  if (held.progress.next() <= held.saved) return Promise.resolve();
  const stop = held.stopping.signal;
  const write = async (): Promise<void> => {
    try {
      while (held.progress.next() > held.saved) {
        const next = held.progress.next();
        try {
          await parts.positions.save(held.topic, held.partition, next);
          held.saved = next;
        } catch (error) {
          parts.on_unsaved(error);
          if (stop.aborted) return;
          await wait(SAVE_PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
        }
      }
    } finally {
      held.saving = null;
    }
  };
  held.saving = write();
  return held.saving;
};

const finish = (parts: RelayParts, held: Held, offset: number): void => {
  held.progress.finish(offset);
  if (held.paused && held.progress.unfinished() <= MOST_UNFINISHED / 2) {
    held.paused = false;
    parts.resume(held.topic, held.partition);
  }
  void savePosition(parts, held);
};

/** Delivers one transition, after the first attempts of the render's transition before. */
const relayTransition = async (
  parts: RelayParts,
  held: Held,
  endpoint: Endpoint,
  offset: number,
  render: Render,
  transition: Transition,
): Promise<void> => {
  const stop = held.stopping.signal;
  const stops = { soon: stop, now: held.cutting.signal };
  const before = held.tails.get(render.id);
  const first_attempts = Promise.withResolvers<void>();
  held.tails.set(render.id, first_attempts.promise);
  await before;
  const output = transition.to === 'complete' && !stop.aborted ? await parts.outputOf(render, stop) : null;
  if (stop.aborted) return first_attempts.resolve();
  const deliveries = deliveriesOf(endpoint, render, transition, output, parts.now());
  const under_way = deliveries.map((delivery) => ({
    delivery,
    ...deliver(delivery, parts.schedule, parts.slots, stops),
  }));
  await Promise.all(under_way.map((one) => one.first_attempt_ended));
  first_attempts.resolve();
  if (held.tails.get(render.id) === first_attempts.promise) held.tails.delete(render.id);
  const ends = await Promise.all(
    under_way.map(async ({ delivery, ended }) => {
      const end = await ended;
      parts.on_end(delivery, end);
      return end;
    }),
  );
  if (ends.every((end) => end.tag !== 'interrupted')) finish(parts, held, offset);
};

/** Waits for the attempts under way, and cuts off those that take longer. */
const endedWithin = async (grace_ms: number, partitions: readonly Held[]): Promise<void> => {
  const cut = setTimeout(() => {
    for (const held of partitions) held.cutting.abort();
  }, grace_ms);
  await Promise.all(partitions.flatMap((held) => [...held.under_way]));
  clearTimeout(cut);
};

const accepted = async (parts: RelayParts, record: LogRecord): Promise<RenderFactAccepted | null> => {
  const decoded = await parts.records.decode(record.value);
  if (decoded.tag === 'poison') {
    parts.on_poison(record, decoded.reason);
    return null;
  }
  if (decoded.tag === 'unknown') throw new StopPartition(decoded.reason);
  if (decoded.record.type !== 'RenderFactAccepted')
    throw new StopPartition(`${decoded.record.type} does not belong in ${record.topic}`);
  return decoded.record;
};

const take = async (parts: RelayParts, held: Held, record: LogRecord): Promise<void> => {
  const fact = await accepted(parts, record);
  held.progress.begin(record.offset);
  const is_new = fact !== null && fact.source_offset > held.last_source_offset;
  if (fact !== null && is_new) held.last_source_offset = fact.source_offset;
  if (fact === null || !is_new || fact.transition === null || parts.endpoint === null) {
    held.progress.finish(record.offset);
    return;
  }
  const relaying = relayTransition(parts, held, parts.endpoint, record.offset, fact.render, fact.transition)
    .catch(parts.crash)
    .finally(() => held.under_way.delete(relaying));
  held.under_way.add(relaying);
};

/** The number of the record before `next`, so that a repeat right after a restart is known as one. */
const sourceOffsetBefore = async (parts: RelayParts, topic: string, partition: number, next: number) => {
  if (next === 0) return -1;
  const [record] = await parts.records.log.read([{ topic, partition, offset: next - 1 }]);
  const decoded = await parts.records.decode(record?.value ?? null);
  return decoded.tag === 'record' && decoded.record.type === 'RenderFactAccepted' ? decoded.record.source_offset : -1;
};

/**
 * Turns accepted transitions into deliveries. Renders do not wait for one another; the transitions of one render are
 * begun in order. A position passes a transition only when its deliveries have succeeded or are exhausted, so after a
 * kill some are made again, under the same delivery ids.
 */
export const createRelay = (parts: RelayParts): Relay => {
  const all = new Map<string, Held>();
  const nameOf = (topic: string, partition: number): string => `${topic}/${partition}`;

  const hold = async (topic: string, partition: number): Promise<Held> => {
    const next = await parts.positions.load(topic, partition);
    const last_source_offset = await sourceOffsetBefore(parts, topic, partition, next);
    return {
      topic,
      partition,
      progress: progressFrom(next),
      stopping: new AbortController(),
      cutting: new AbortController(),
      under_way: new Set(),
      tails: new Map(),
      last_source_offset,
      saved: next,
      saving: null,
      paused: false,
    };
  };

  const release = async (held: Held): Promise<void> => {
    held.stopping.abort();
    all.delete(nameOf(held.topic, held.partition));
    await savePosition(parts, held);
  };

  return {
    position: async (topic, partition) => {
      const name = nameOf(topic, partition);
      const held = all.get(name) ?? (await hold(topic, partition));
      all.set(name, held);
      return held.progress.end();
    },
    take: async ({ topic, partition, records }) => {
      const held = all.get(nameOf(topic, partition));
      if (held === undefined) return;
      for (const record of records) await take(parts, held, record);
      if (held.progress.unfinished() > MOST_UNFINISHED) {
        held.paused = true;
        parts.pause(topic, partition);
      }
      // Not waited for: a store that is away would hold the batch, and a rebalance waits for no batch for long.
      void savePosition(parts, held);
    },
    revoked: async (topic, partitions) => {
      for (const partition of partitions) {
        const held = all.get(nameOf(topic, partition));
        if (held !== undefined) await release(held);
      }
    },
    stop: async () => {
      const partitions = [...all.values()];
      for (const held of partitions) held.stopping.abort();
      await endedWithin(GRACE_MS, partitions);
      await Promise.all(partitions.map(release));
    },
  };
};
