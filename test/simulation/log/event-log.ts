import * as E from 'fp-ts/lib/Either.js';
import type {
  Appended,
  AppendFault,
  AppendRequest,
  BatchRequest,
  EventLog,
  LogRecord,
  PartitionBounds,
} from '../../../platform/event-log/event-log.ts';
import { partitionOfKey } from '../../../platform/event-log/partition-of-key.ts';
import { encodeFrame, parseFrame } from '../../../platform/records/frame.ts';
import { encodePayload, type PayloadDecoder, payloadDecoder } from '../../../platform/records/record-decoder.ts';
import type { Decoded, RecordLog } from '../../../platform/records/record-log.ts';
import type { AnyRecord, RecordType } from '../../../schemas/any-record.ts';
import { RECORDS } from '../../../schemas/records.ts';
import { within } from '../world/life.ts';
import type { Partition } from './brokers.ts';
import { withoutGroup } from './groups.ts';
import { type SubscriptionDependencies, subscribe } from './subscription.ts';

/** The maximum time that an appender retries before it answers. */
const LONGEST_TRY_MS = 5_000;

const NO_PLACE: AppendFault = { tag: 'outcome_unknown', message: 'it has no place' };

type Written = E.Either<AppendFault, readonly Appended[]>;
type Together = { readonly records: BatchRequest['records'][number][]; readonly written: Promise<Written> };

class KafkaAway extends Error {
  override readonly name = 'KafkaJSConnectionError';
}

const boundsOf = (partitions: readonly Partition[]): readonly PartitionBounds[] =>
  partitions.map(({ partition, records }) => ({ partition, start: 0, end: records.length }));

export const openSimulatedLog = (parts: SubscriptionDependencies): EventLog => {
  const { world, brokers, groups, life } = parts;
  const { random, scheduler } = world;
  /** When the last append to each partition arrives at the broker. */
  const lines = new Map<string, number>();

  const latency = (): number => 0.5 + random.next() * (random.chance(0.05) ? 400 : 6);

  const appendBatch = async (batch: BatchRequest): Promise<Written> => {
    const key = `${batch.topic}/${batch.partition}`;
    const { fault } = brokers.partition(batch.topic, batch.partition);
    const takes_ms = latency() + (brokers.away || fault !== null ? random.next() * LONGEST_TRY_MS : 0);
    // Never before an earlier append, so that the records of one partition keep the order of the calls.
    const at = Math.max(scheduler.now() + takes_ms, (lines.get(key) ?? 0) + 0.001);
    lines.set(key, at);
    return await life.ask(at - scheduler.now(), () => brokers.write(batch));
  };

  const asked = <A>(topic: string, answer: () => A): Promise<A> =>
    life.ask(latency(), () => {
      if (brokers.away || brokers.of(topic).some(({ fault }) => fault === 'no_leader'))
        throw new KafkaAway(`${topic} has a partition without a leader`);
      return answer();
    });

  const recordsFrom = (topic: string, partition: number, from: number, to: number): Promise<readonly LogRecord[]> =>
    life.ask(latency(), () => {
      const its = brokers.partition(topic, partition);
      if (brokers.away || its.fault === 'no_leader') throw new KafkaAway(`${topic}/${partition} has no leader`);
      return its.records.slice(Math.max(0, from), Math.max(0, to));
    });

  /** Simultaneous appends to a partition form one batch, which is written completely or not at all. */
  const together = new Map<string, Together>();
  const appendOne = ({ topic, partition, ...record }: AppendRequest & { readonly partition: number }) => {
    const key = `${topic}/${partition}`;
    const joined = together.get(key);
    if (joined !== undefined) {
      const place = joined.records.push(record) - 1;
      return joined.written.then((written) => ({ written, place }));
    }
    const records: BatchRequest['records'][number][] = [record];
    const { promise: written, resolve } = Promise.withResolvers<Written>();
    together.set(key, { records, written });
    scheduler.afterEvent(() =>
      within(life, () => {
        together.delete(key);
        void appendBatch({ topic, partition, records }).then(resolve);
      }),
    );
    return written.then((all) => ({ written: all, place: 0 }));
  };

  return {
    append: async ({ partition, ...request }) => {
      const at = partition ?? partitionOfKey(request.key, brokers.of(request.topic).length);
      const { written, place } = await appendOne({ ...request, partition: at });
      return E.flatMap((all: readonly Appended[]) => E.fromNullable(NO_PLACE)(all[place]))(written);
    },
    appendBatch,
    subscribe: (options) => subscribe(parts, options),
    follow: (options) => subscribe({ ...parts, groups: withoutGroup(world, brokers), members: new Map() }, options),
    read: (positions) =>
      Promise.all(
        positions.map(async ({ topic, partition, offset }) => {
          const [record] = offset < 0 ? [] : await recordsFrom(topic, partition, offset, offset + 1);
          return record ?? null;
        }),
      ),
    clusterId: async () => 'simulated',
    partitions: (topic) => life.ask(latency(), () => brokers.of(topic).length),
    bounds: (topic) => asked(topic, () => boundsOf(brokers.of(topic))),
    reachableBounds: (topic) =>
      life.ask(latency(), () => {
        if (brokers.away) throw new KafkaAway('no broker answers');
        return boundsOf(brokers.of(topic).filter(({ fault }) => fault !== 'no_leader'));
      }),
    committed: (group, topic) => asked(topic, () => groups.committed(group, topic)),
    offsetsAt: (topic, at_ms) =>
      asked(topic, () => {
        const first = (records: readonly LogRecord[]) => records.findIndex((one) => one.append_time_ms >= at_ms);
        const found = brokers.of(topic).map(({ partition, records }) => [partition, first(records)] as const);
        return new Map(found.filter(([, offset]) => offset >= 0));
      }),
    async *replay(topic, partition, from, to) {
      yield* await recordsFrom(topic, partition, from, to);
    },
    healthy: async () => !brokers.away,
    close: async () => undefined,
  };
};

/** Schemas are registered in the order of their types. */
const IDS = new Map<RecordType, number>(RECORDS.map(({ type }, i) => [type, i + 1]));
const DECODERS: readonly PayloadDecoder[] = RECORDS.map(({ avro }) => payloadDecoder(JSON.stringify(avro)));
const POISON: Decoded = { tag: 'poison', reason: 'not in the Confluent wire format' };

/** Cache of decoded records, because the same bytes decode to the same record for every reader. */
const said = new WeakMap<Buffer, Decoded>();

export const encoded = (record: AnyRecord): Buffer => encodeFrame(IDS.get(record.type) ?? 0, encodePayload(record));

export const decoded = (value: Buffer | null): Decoded => {
  const known = value === null ? POISON : said.get(value);
  if (known !== undefined || value === null) return known ?? POISON;
  const frame = parseFrame(value);
  const decoder = frame === undefined ? undefined : DECODERS[frame.schema_id - 1];
  const decoded = frame === undefined || decoder === undefined ? POISON : decoder(frame.payload);
  said.set(value, decoded);
  return decoded;
};

/**
 * The log with typed records.
 *
 * @param change replaces the records of a process with a fault
 */
export const openSimulatedRecords = (
  log: EventLog,
  change: (record: AnyRecord) => AnyRecord = (record) => record,
): RecordLog => ({
  append: async (topic, key, record, { partition, headers } = {}) =>
    await log.append({ topic, key, value: encoded(change(record)), partition, headers }),
  encode: async (_topic, record) => E.right(encoded(change(record))),
  decode: async (value) => decoded(value),
  log,
});
