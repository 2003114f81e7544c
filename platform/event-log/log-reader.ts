import type Cluster from 'kafkajs/src/cluster/index.js';
import type { FetchedMessage } from 'kafkajs/src/cluster/index.js';
import type { Logger } from '../logging/logger.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { exponentialBackOff, retry } from '../process/retry.ts';
import { avoidBroker, leaderOf, openCluster } from './cluster.ts';
import type { EventLog, LogRecord, PartitionBounds } from './event-log.ts';
import type { KafkaSettings } from './kafka-client.ts';
import { isMissingTopic, kafkaFault } from './kafka-faults.ts';
import { logRecord } from './log-record.ts';
import type { Sockets } from './sockets.ts';

/** Reads by position, without a consumer group, so it leaves no state on the brokers. */
export type LogReader = Pick<
  EventLog,
  'clusterId' | 'partitions' | 'bounds' | 'reachableBounds' | 'committed' | 'offsetsAt' | 'replay' | 'close'
> & {
  readonly read: (topic: string, partition: number, offset: number) => Promise<LogRecord | null>;
  readonly ping: () => Promise<void>;
};

/** A request is retried this long, also while brokers restart. */
const ANSWER_WITHIN_MS = 15_000;
const LONGEST_PAUSE_MS = 1_000;
const REPLAY_BYTES = 1024 * 1024;
const REPLAY_WAIT_MS = 500;
const READ_UNCOMMITTED = 0;

/** Kafka's answer if a group has committed no offset, or if no record is newer than a time. */
const NO_OFFSET = -1;

type Ask = <A>(topics: readonly string[], question: () => Promise<A>) => Promise<A>;

/** Retries until the broker answers, a permanent error occurs or the time is up. */
const askOf =
  (cluster: Cluster, isClosed: () => boolean): Ask =>
  (topics, question) => {
    const deadline = performance.now() + ANSWER_WITHIN_MS;
    let fault: unknown;
    const recover = async (): Promise<void> => {
      avoidBroker(cluster, fault);
      // If the brokers are unavailable, the next try reports it.
      await cluster.refreshMetadata().catch(() => undefined);
    };
    const askOnce = async () => {
      if (fault !== undefined) await recover();
      try {
        if (!cluster.isConnected()) await cluster.connect();
        await cluster.addMultipleTargetTopics([...topics]);
        await cluster.refreshMetadataIfNecessary();
        return await question();
      } catch (error) {
        fault = error;
        throw error;
      }
    };
    return retry(askOnce, {
      clock: SYSTEM_CLOCK,
      policy: (failures) =>
        isClosed() || performance.now() > deadline ? null : Math.min(LONGEST_PAUSE_MS, exponentialBackOff(failures)),
      isTransient: (error) => !isMissingTopic(error) && kafkaFault(error).retriable,
    });
  };

const partitionsOf = (cluster: Cluster, topic: string): readonly number[] =>
  cluster
    .findTopicPartitionMetadata(topic)
    .map(({ partitionId }) => partitionId)
    .toSorted((a, b) => a - b);

const fetchMessages = async (
  cluster: Cluster,
  { topic, partition }: { readonly topic: string; readonly partition: number },
  offset: number,
  max_bytes: number,
  wait_ms: number,
): Promise<readonly FetchedMessage[]> => {
  if (!partitionsOf(cluster, topic).includes(partition)) throw new RangeError(`${topic} has no partition ${partition}`);
  const leader = leaderOf(cluster, topic, partition);
  if (leader == null) throw new Error(`partition ${partition} of ${topic} has no leader`);
  const broker = await cluster.findBroker({ nodeId: String(leader) });
  const { responses } = await broker.fetch({
    maxWaitTime: wait_ms,
    minBytes: 1,
    maxBytes: max_bytes,
    isolationLevel: READ_UNCOMMITTED,
    topics: [{ topic, partitions: [{ partition, fetchOffset: String(offset), maxBytes: max_bytes }] }],
  });
  const messages = responses.flatMap(({ partitions }) => partitions.flatMap((found) => found.messages));
  // A broker returns whole batches, so the first batch may begin earlier.
  return messages.filter((message) => Number(message.offset) >= offset);
};

const offsetsOf = async (
  cluster: Cluster,
  topic: string,
  at: { readonly fromBeginning: boolean } | { readonly fromTimestamp: number },
): Promise<ReadonlyMap<number, number>> => {
  const partitions = partitionsOf(cluster, topic).map((partition) => ({ partition }));
  const answers = await cluster.fetchTopicsOffset([{ topic, partitions, ...at }]);
  const found = answers.flatMap((one) => one.partitions);
  return new Map(
    found.flatMap(({ partition, offset }) => (Number(offset) === NO_OFFSET ? [] : [[partition, Number(offset)]])),
  );
};

const boundsOf = async (cluster: Cluster, topic: string): Promise<readonly PartitionBounds[]> => {
  const [starts, ends] = await Promise.all([
    offsetsOf(cluster, topic, { fromBeginning: true }),
    offsetsOf(cluster, topic, { fromBeginning: false }),
  ]);
  return partitionsOf(cluster, topic).flatMap((partition) => {
    const [start, end] = [starts.get(partition), ends.get(partition)];
    return start === undefined || end === undefined ? [] : [{ partition, start, end }];
  });
};

const allBoundsOf = async (cluster: Cluster, topic: string): Promise<readonly PartitionBounds[]> => {
  const found = await boundsOf(cluster, topic);
  const missing = partitionsOf(cluster, topic).find((one) => !found.some(({ partition }) => partition === one));
  if (missing !== undefined) throw new Error(`partition ${missing} of ${topic} has no leader`);
  return found;
};

const committedOf = async (cluster: Cluster, groupId: string, topic: string): Promise<ReadonlyMap<number, number>> => {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const partitions = partitionsOf(cluster, topic).map((partition) => ({ partition }));
  const { responses } = await coordinator.offsetFetch({ groupId, topics: [{ topic, partitions }] });
  const offsets = responses.flatMap((one) => one.partitions);
  return new Map(
    offsets.flatMap(({ partition, offset }) =>
      Number(offset) === NO_OFFSET ? [] : [[partition, Number(offset)] as const],
    ),
  );
};

export const openLogReader = (
  settings: KafkaSettings,
  client_id: string,
  logger: Logger,
  sockets: Sockets,
): LogReader => {
  const cluster = openCluster(settings, client_id, logger, sockets);
  let closed = false;
  const ask = askOf(cluster, () => closed);
  const fetch = (topic: string, partition: number, offset: number, max_bytes: number, wait_ms: number) =>
    ask([topic], () => fetchMessages(cluster, { topic, partition }, offset, max_bytes, wait_ms));

  async function* replay(
    topic: string,
    partition: number,
    from: number,
    to: number,
    fetch_bytes = REPLAY_BYTES,
  ): AsyncIterable<LogRecord> {
    let next = from;
    while (next < to && !closed) {
      const messages = await fetch(topic, partition, next, fetch_bytes, REPLAY_WAIT_MS);
      for (const message of messages) {
        const offset = Number(message.offset);
        if (offset >= to) return;
        if (!message.isControlRecord) yield logRecord(topic, partition, message);
        next = offset + 1;
      }
    }
  }

  return {
    clusterId: () =>
      ask([], async () => {
        const id = cluster.brokerPool.metadata?.clusterId;
        if (id == null) throw new Error('the brokers did not return a cluster id');
        return id;
      }),
    partitions: (topic) => ask([topic], async () => partitionsOf(cluster, topic).length),
    read: async (topic, partition, offset) => {
      if (offset < 0) return null;
      try {
        // A broker sends at least one whole batch, so one byte requests one batch.
        const messages = await fetch(topic, partition, offset, 1, 0);
        const message = messages.find((found) => Number(found.offset) === offset && !found.isControlRecord);
        return message === undefined ? null : logRecord(topic, partition, message);
      } catch (error) {
        if (kafkaFault(error).type === 'OFFSET_OUT_OF_RANGE') return null;
        throw error;
      }
    },
    bounds: (topic) => ask([topic], () => allBoundsOf(cluster, topic)),
    reachableBounds: (topic) => ask([topic], () => boundsOf(cluster, topic)),
    committed: (group, topic) => ask([topic], () => committedOf(cluster, group, topic)),
    offsetsAt: (topic, at_ms) => ask([topic], () => offsetsOf(cluster, topic, { fromTimestamp: at_ms })),
    replay,
    ping: async () => {
      if (!cluster.isConnected()) await cluster.connect();
      await cluster.refreshMetadata();
    },
    close: async () => {
      closed = true;
      await cluster.disconnect();
    },
  };
};
