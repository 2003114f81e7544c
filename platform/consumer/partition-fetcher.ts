import type Cluster from 'kafkajs/src/cluster/index.js';
import { avoidBroker, leaderOf } from '../event-log/cluster.ts';
import { kafkaFault } from '../event-log/kafka-faults.ts';
import type { FetchedMessage } from '../event-log/log-record.ts';
import type { Logger } from '../logging/logger.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import type { TopicPartition } from './topic-partition.ts';
import { topicPartitionKey } from './topic-partition.ts';

export type FetchedBatch = TopicPartition & {
  readonly messages: readonly FetchedMessage[];
  readonly high_watermark: number;
  /** The log begins after this offset or ends before it. */
  readonly is_outside: boolean;
};

type Asked = TopicPartition & { readonly from: number };

/** Has its own connections, because a fetch waits at the broker for records. */
export type PartitionFetcher = {
  /** Partitions that can be fetched now, by the broker that leads them. Never rejects. */
  readonly leadersOf: <P extends TopicPartition>(
    partitions: readonly P[],
  ) => Promise<ReadonlyMap<number, readonly P[]>>;
  /** A partition that cannot be read is missing from the result, and its leader is looked up again. Never rejects. */
  readonly fetch: (leader: number, fetchRequests: readonly Asked[]) => Promise<readonly FetchedBatch[]>;
  readonly close: () => Promise<void>;
};

const MAX_WAIT_MS = 500;
const MAX_BYTES_PER_PARTITION = 1024 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;
const READ_UNCOMMITTED = 0;
/** After a fault, the partition is not fetched for this long. */
const PAUSE_MS = 500;

const fetchFrom = async (
  cluster: Cluster,
  leader: number,
  fetchRequests: readonly Asked[],
  wait_ms: number,
): Promise<readonly FetchedBatch[]> => {
  const broker = await cluster.findBroker({ nodeId: String(leader) });
  const topics = Array.from(
    Map.groupBy(fetchRequests, ({ topic }) => topic),
    ([topic, of_topic]) => ({
      topic,
      partitions: of_topic.map(({ partition, from }) => ({
        ...{ partition, fetchOffset: String(from), maxBytes: MAX_BYTES_PER_PARTITION },
      })),
    }),
  );
  const { responses } = await broker.fetch({
    ...{ maxWaitTime: wait_ms, minBytes: 1, maxBytes: MAX_BYTES, isolationLevel: READ_UNCOMMITTED, topics },
  });
  const offsets = new Map(fetchRequests.map((one) => [topicPartitionKey(one), one.from]));
  return responses.flatMap(({ topicName: topic, partitions }) =>
    partitions.map(({ partition, highWatermark, messages }) => {
      const from = offsets.get(topicPartitionKey({ topic, partition })) ?? 0;
      return {
        ...{ topic, partition, high_watermark: Number(highWatermark), is_outside: false },
        // A broker returns whole batches, so the first batch may begin earlier.
        messages: messages.filter(({ offset, isControlRecord }) => !isControlRecord && Number(offset) >= from),
      };
    }),
  );
};

export const openPartitionFetcher = (cluster: Cluster, logger: Logger): PartitionFetcher => {
  const warn = throttledWarn(logger);
  /** The end of each partition's pause (monotonic ms). */
  const resting = new Map<string, number>();
  const known = new Set<string>();
  let is_outdated = true;
  let closed = false;

  const rest = (partitions: readonly TopicPartition[]): void => {
    is_outdated = true;
    for (const one of partitions) resting.set(topicPartitionKey(one), performance.now() + PAUSE_MS);
  };

  const recover = (error: unknown, partitions: readonly TopicPartition[]): void => {
    if (closed) return;
    avoidBroker(cluster, error);
    rest(partitions);
    const { type, message: reason } = kafkaFault(error);
    warn({ partitions: partitions.map(topicPartitionKey).slice(0, 3), type, reason }, 'partitions cannot be read now');
  };

  const refresh = async (topics: readonly string[]): Promise<void> => {
    if (!cluster.isConnected()) await cluster.connect();
    if (topics.some((topic) => !known.has(topic))) await cluster.addMultipleTargetTopics([...topics]);
    for (const topic of topics) known.add(topic);
    if (is_outdated) await cluster.refreshMetadata();
    else await cluster.refreshMetadataIfNecessary();
    is_outdated = false;
  };

  /** Fetches one partition, because kafkajs rejects a whole response for the fault of one partition. */
  const askAlone = async (leader: number, one: Asked): Promise<readonly FetchedBatch[]> => {
    const { topic, partition } = one;
    try {
      return await fetchFrom(cluster, leader, [one], 0);
    } catch (error) {
      if (kafkaFault(error).type === 'OFFSET_OUT_OF_RANGE')
        return [{ topic, partition, messages: [], high_watermark: 0, is_outside: true }];
      recover(error, [one]);
      return [];
    }
  };

  const isAnswer = (error: unknown): boolean => kafkaFault(error).type !== undefined;

  return {
    leadersOf: async (partitions) => {
      const now_ms = performance.now();
      const awake = partitions.filter((one) => (resting.get(topicPartitionKey(one)) ?? 0) <= now_ms);
      if (awake.length === 0 || closed) return new Map();
      try {
        await refresh([...new Set(awake.map(({ topic }) => topic))]);
      } catch (error) {
        recover(error, awake);
        return new Map();
      }
      const found = awake.map((one) => ({ one, leader: leaderOf(cluster, one.topic, one.partition) ?? null }));
      const leaderless = found.flatMap(({ one, leader }) => (leader === null ? [one] : []));
      if (leaderless.length > 0) rest(leaderless);
      const led = found.flatMap(({ one, leader }) => (leader === null ? [] : [{ one, leader }]));
      const by_leader = Map.groupBy(led, ({ leader }) => leader);
      return new Map(Array.from(by_leader, ([leader, all]) => [leader, all.map(({ one }) => one)]));
    },
    fetch: async (leader, fetchRequests) => {
      if (fetchRequests.length === 0 || closed) return [];
      try {
        return await fetchFrom(cluster, leader, fetchRequests, MAX_WAIT_MS);
      } catch (error) {
        if (closed) return [];
        if (isAnswer(error)) return (await Promise.all(fetchRequests.map((one) => askAlone(leader, one)))).flat();
        recover(error, fetchRequests);
        return [];
      }
    },
    close: async () => {
      closed = true;
      await cluster.disconnect().catch(() => undefined);
    },
  };
};
