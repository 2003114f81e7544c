import { setTimeout as pause } from 'node:timers/promises';
import { chain, type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Kafka } from 'kafkajs';
import type { Logger } from '../logging/logger.ts';
import { type AppendProducer, connectProducer, type Placed, type SendFault } from './append-producer.ts';
import {
  cut,
  MAX_BATCH_BYTES,
  MAX_RECORD_BYTES,
  MAX_WAITING_BYTES,
  MAX_WAITING_RECORDS,
  sizeOf,
  type WaitingAppend,
} from './append-queue.ts';
import type { Appended, AppendFault, EventLog } from './event-log.ts';
import { isMissingTopic, kafkaFault } from './kafka-faults.ts';
import { partitionOfKey } from './partition-of-key.ts';

export type Appender = Pick<EventLog, 'append' | 'appendBatch'> & {
  /** Sends what waits, for at most five seconds, and takes nothing more. */
  readonly close: () => Promise<void>;
};

/** How long an append waits for its turn or for a broker, before it is given up as not appended. */
const WAIT_MS = 5_000;
const RECONNECT_PAUSE_MS = 200;
const CLOSE_MS = 5_000;

type PlacedAppend = WaitingAppend & Pick<Placed, 'partition'> & { readonly partition_key: string };

const notAppended = (message: string): AppendFault => ({ tag: 'not_appended', message });

const UNPLACED: AppendFault = { tag: 'outcome_unknown', message: 'the brokers did not say where it went' };

const isSendFault = (error: unknown): error is SendFault =>
  typeof error === 'object' && error !== null && 'tag' in error && (error.tag === 'refused' || error.tag === 'unknown');

/**
 * One send at a time; whatever is appended meanwhile waits and goes together in the next. So a lone append costs one
 * round trip, and a thousand at once cost about as much.
 */
export const createAppender = (
  kafka: Kafka,
  partitionsOf: (topic: string) => Promise<number>,
  logger: Logger,
): Appender => {
  const counts = new Map<string, number>();
  let waiting: (WaitingAppend | PlacedAppend)[] = [];
  let waiting_records = 0;
  let waiting_bytes = 0;
  let producer: AppendProducer | undefined;
  let pumping: Promise<void> | undefined;
  let closed = false;

  const replace = (appends: readonly (WaitingAppend | PlacedAppend)[]): void => {
    waiting = [...appends];
    waiting_records = waiting.reduce((sum, { records }) => sum + records.length, 0);
    waiting_bytes = waiting.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  };

  const giveUpLate = (why: string): void => {
    const now = performance.now();
    const late = waiting.filter(({ deadline_ms }) => deadline_ms <= now);
    if (late.length === 0) return;
    replace(waiting.filter(({ deadline_ms }) => deadline_ms > now));
    for (const { failed } of late) failed(notAppended(why));
  };

  /** Counts of partitions are fixed for ever, so each is asked once. A topic that is missing fails its appends. */
  const learnPartitions = async (): Promise<void> => {
    for (const topic of new Set(waiting.map((one) => one.topic))) {
      if (counts.has(topic)) continue;
      try {
        counts.set(topic, await partitionsOf(topic));
      } catch (error) {
        if (!isMissingTopic(error)) throw error;
        const [ofTopic, others] = [true, false].map((its) => waiting.filter((one) => (one.topic === topic) === its));
        replace(others ?? []);
        for (const { failed } of ofTopic ?? []) failed(notAppended(`there is no topic ${topic}: run the deploy step`));
      }
    }
  };

  /** Hashed once: what has to stay keeps its place. Null as long as it is not known how many partitions the topic has. */
  const placed = (append: WaitingAppend | PlacedAppend): PlacedAppend | null => {
    if ('partition_key' in append) return append;
    const { topic, records } = append;
    const count = counts.get(topic);
    if (count === undefined) return null;
    const partition = append.partition ?? partitionOfKey(records[0]?.key ?? '', count);
    return { ...append, partition, partition_key: `${topic}/${partition}` };
  };

  const sendNext = async (through: AppendProducer): Promise<void> => {
    // What came while the producer connected may be for a topic that was not asked about yet: it waits for the next turn.
    const next = cut(waiting.flatMap((append) => placed(append) ?? []));
    replace([...next.left, ...waiting.filter(({ topic }) => !counts.has(topic))]);
    if (next.taken.length === 0) return;
    const batch = next.taken.flatMap(({ topic, partition, records }) =>
      records.map((record): Placed => ({ request: { topic, ...record }, partition })),
    );
    try {
      const places = await through.send(batch);
      let begin = 0;
      for (const { records, appended } of next.taken) {
        appended(places.slice(begin, begin + records.length));
        begin += records.length;
      }
    } catch (error) {
      producer = undefined;
      void through.discard();
      const fault: SendFault = isSendFault(error)
        ? error
        : { tag: 'unknown', message: String(error), too_large: false };
      logger.warn({ records: batch.length, fault }, 'a send failed; the producer is replaced');
      const tag = fault.tag === 'refused' ? 'not_appended' : 'outcome_unknown';
      for (const { failed } of next.taken) failed({ tag, message: fault.message, too_large: fault.too_large });
    }
  };

  const pump = async (): Promise<void> => {
    // What is appended in the same turn of the event loop goes together.
    await Promise.resolve();
    while (waiting.length > 0) {
      try {
        await learnPartitions();
        producer ??= await connectProducer(kafka);
      } catch (error) {
        giveUpLate(`Kafka cannot be reached: ${kafkaFault(error).message}`);
        await pause(RECONNECT_PAUSE_MS);
        continue;
      }
      giveUpLate('Kafka did not keep up');
      if (waiting.length > 0) await sendNext(producer);
    }
  };

  const start = (): void => {
    pumping ??= pump().finally(() => {
      pumping = undefined;
      if (waiting.length > 0) start();
    });
  };

  // The pump may be stuck in one long attempt to connect, while the time of those that wait runs out.
  const watch = setInterval(() => giveUpLate('Kafka does not answer'), 500);
  watch.unref();

  const put = ({ topic, partition, records }: Pick<WaitingAppend, 'topic' | 'partition' | 'records'>) => {
    const size_bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    const [what, most_bytes] = records.length > 1 ? ['batch', MAX_BATCH_BYTES] : ['record', MAX_RECORD_BYTES];
    const refused = (message: string) => Promise.resolve(left(notAppended(message)));
    if (closed) return refused('the event log is closed');
    if (size_bytes > most_bytes) return refused(`the ${what} has ${size_bytes} bytes; at most ${most_bytes}`);
    if (waiting_records + records.length > MAX_WAITING_RECORDS || waiting_bytes + size_bytes > MAX_WAITING_BYTES) {
      return refused('too many appends are waiting for Kafka');
    }
    return new Promise<Either<AppendFault, readonly Appended[]>>((resolve) => {
      waiting.push({
        ...{ topic, partition, records, size_bytes },
        deadline_ms: performance.now() + WAIT_MS,
        appended: (places) => resolve(right(places)),
        failed: (fault) => resolve(left(fault)),
      });
      waiting_records += records.length;
      waiting_bytes += size_bytes;
      start();
    });
  };

  return {
    append: async ({ topic, partition, ...record }) => {
      const appended = await put({ topic, partition, records: [record] });
      return chain(([place]: readonly Appended[]) => (place === undefined ? left(UNPLACED) : right(place)))(appended);
    },
    appendBatch: put,
    close: async () => {
      closed = true;
      await Promise.race([pumping, pause(CLOSE_MS, undefined, { ref: false })]);
      clearInterval(watch);
      await producer?.discard();
    },
  };
};
