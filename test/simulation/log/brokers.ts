import * as E from 'fp-ts/lib/Either.js';
import type { Appended, AppendFault, BatchRequest, LogRecord } from '../../../platform/event-log/event-log.ts';
import { TOPICS } from '../../../platform/event-log/topics.ts';
import { BEGIN_MS } from '../world/process-globals.ts';
import type { World } from '../world/world.ts';

/** `no_leader`: no reads or writes; `below_min_isr`: no writes. */
export type PartitionFault = 'no_leader' | 'below_min_isr';

export type Partition = {
  readonly topic: string;
  readonly partition: number;
  readonly records: LogRecord[];
  fault: PartitionFault | null;
  /** The additional delay of fetches from this partition, ms. */
  delay_ms: number;
  /** The prefix of consumer groups that receive no records of this partition; null if all groups receive them. */
  withheld_from: string | null;
  readonly onAppend: Set<() => void>;
};

export type Brokers = {
  readonly of: (topic: string) => readonly Partition[];
  readonly partition: (topic: string, partition: number) => Partition;
  away: boolean;
  lost_answers: number;
  refused: number;
  readonly write: (batch: BatchRequest) => E.Either<AppendFault, readonly Appended[]>;
};

const REFUSED: AppendFault = { tag: 'not_appended', message: 'the partition takes no records' };
const UNKNOWN: AppendFault = { tag: 'outcome_unknown', message: 'there was no answer' };

export const createBrokers = (
  world: World,
  render_partitions: number,
  appended: (records: readonly LogRecord[]) => void,
): Brokers => {
  const { random } = world;
  const topics = new Map<string, readonly Partition[]>(
    TOPICS.map(({ name, partitions }) => [
      name,
      Array.from({ length: partitions === 'by_render' ? render_partitions : 1 }, (_, partition) => ({
        ...{ topic: name, partition, records: [], fault: null, delay_ms: 0, withheld_from: null },
        onAppend: new Set<() => void>(),
      })),
    ]),
  );
  const of = (topic: string): readonly Partition[] => {
    const found = topics.get(topic);
    if (found === undefined) throw new Error(`there is no topic ${topic}`);
    return found;
  };
  const partition = (topic: string, number: number): Partition => {
    const found = of(topic)[number];
    if (found === undefined) throw new RangeError(`${topic} has no partition ${number}`);
    return found;
  };

  const put = (batch: BatchRequest): readonly Appended[] => {
    const its = partition(batch.topic, batch.partition);
    const append_time_ms = BEGIN_MS + Math.floor(world.scheduler.now());
    const written = batch.records.map(({ key, value, headers = {} }, i): LogRecord => {
      const place = { topic: batch.topic, partition: batch.partition, offset: its.records.length + i };
      return { ...place, append_time_ms, key: Buffer.from(key), value, headers };
    });
    its.records.push(...written);
    appended(written);
    for (const told of [...its.onAppend]) told();
    return written.map(({ offset }) => ({ partition: batch.partition, offset, append_time_ms }));
  };

  const brokers: Brokers = {
    ...{ of, partition, away: false, lost_answers: 0, refused: 0 },
    write: (batch) => {
      const { fault } = partition(batch.topic, batch.partition);
      if (brokers.away || fault !== null) {
        // A leader may have received the batch before the fault. Then the outcome is unknown, and here the batch is
        // sometimes appended.
        if (random.chance(0.7)) return E.left(REFUSED);
        if (fault === 'below_min_isr' && random.chance(0.3)) put(batch);
        return E.left(UNKNOWN);
      }
      if (random.chance(brokers.refused)) return E.left(random.chance(0.5) ? REFUSED : UNKNOWN);
      const places = put(batch);
      return random.chance(brokers.lost_answers) ? E.left(UNKNOWN) : E.right(places);
    },
  };
  return brokers;
};
