import type { Logger } from '../logging/logger.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { BACK_OFF, retry } from '../process/retry.ts';
import { leaderOf, openCluster, passOver } from './cluster.ts';
import type { EventLog, LogRecord, PartitionBounds } from './event-log.ts';
import type { KafkaSettings } from './kafka-client.ts';
import { isMissingTopic, kafkaFault } from './kafka-faults.ts';
import { logRecord } from './log-record.ts';
import type { Sockets } from './sockets.ts';

/** Reads by position, without a consumer group: nothing is joined, nothing is left behind on the brokers. */
export type LogReader = Pick<
  EventLog,
  'clusterId' | 'partitions' | 'bounds' | 'reachableBounds' | 'committed' | 'offsetsAt' | 'replay' | 'close'
> & {
  readonly read: (topic: string, partition: number, offset: number) => Promise<LogRecord | null>;
  readonly ping: () => Promise<void>;
};

/** How long one answer is waited for, brokers that come back included. */
const ANSWER_WITHIN_MS = 15_000;
const LONGEST_PAUSE_MS = 1_000;
const REPLAY_BYTES = 1024 * 1024;
const REPLAY_WAIT_MS = 500;
const READ_UNCOMMITTED = 0;

export const openLogReader = (
  settings: KafkaSettings,
  client_id: string,
  logger: Logger,
  sockets: Sockets,
): LogReader => {
  const cluster = openCluster(settings, client_id, logger, sockets);
  let closed = false;

  const recover = async (error: unknown): Promise<void> => {
    passOver(cluster, error);
    // It fails when the brokers are away, which the next try will say.
    await cluster.refreshMetadata().catch(() => undefined);
  };

  /** Asks until there is an answer, or a refusal that asking again does not change, or the time is up. */
  const ask = async <A>(topics: readonly string[], question: () => Promise<A>): Promise<A> => {
    const deadline = performance.now() + ANSWER_WITHIN_MS;
    let fault: unknown;
    const askOnce = async (): Promise<A> => {
      if (fault !== undefined) await recover(fault);
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
        closed || performance.now() > deadline ? null : Math.min(LONGEST_PAUSE_MS, BACK_OFF(failures)),
      isTransient: (error) => !isMissingTopic(error) && kafkaFault(error).retriable,
    });
  };

  const partitionsOf = (topic: string): readonly number[] =>
    cluster
      .findTopicPartitionMetadata(topic)
      .map(({ partitionId }) => partitionId)
      .toSorted((a, b) => a - b);

  const fetch = (topic: string, partition: number, offset: number, max_bytes: number, wait_ms: number) =>
    ask([topic], async () => {
      if (!partitionsOf(topic).includes(partition)) throw new RangeError(`${topic} has no partition ${partition}`);
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
      // A broker answers with whole batches, so the first one may begin earlier.
      return messages.filter((message) => Number(message.offset) >= offset);
    });

  const offsets = async (topic: string, fromBeginning: boolean): Promise<ReadonlyMap<number, number>> => {
    const partitions = partitionsOf(topic).map((partition) => ({ partition }));
    const answers = await cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning }]);
    return new Map(
      answers.flatMap((one) => one.partitions.map(({ partition, offset }) => [partition, Number(offset)])),
    );
  };

  const askForBounds = async (topic: string): Promise<readonly PartitionBounds[]> => {
    const [starts, ends] = await Promise.all([offsets(topic, true), offsets(topic, false)]);
    return partitionsOf(topic).flatMap((partition) => {
      const [start, end] = [starts.get(partition), ends.get(partition)];
      return start === undefined || end === undefined ? [] : [{ partition, start, end }];
    });
  };

  const allBounds = async (topic: string): Promise<readonly PartitionBounds[]> => {
    const found = await askForBounds(topic);
    const missing = partitionsOf(topic).find((one) => !found.some(({ partition }) => partition === one));
    if (missing !== undefined) throw new Error(`partition ${missing} of ${topic} has no leader`);
    return found;
  };

  /** The answer of a group that has committed nothing for a partition, and for a time that nothing was appended since. */
  const NOTHING = -1;

  const offsetsAt = (topic: string, at_ms: number): Promise<ReadonlyMap<number, number>> =>
    ask([topic], async () => {
      const partitions = partitionsOf(topic).map((partition) => ({ partition }));
      const answers = await cluster.fetchTopicsOffset([{ topic, partitions, fromTimestamp: at_ms }]);
      const found = answers.flatMap((one) => one.partitions);
      return new Map(
        found.flatMap(({ partition, offset }) => (Number(offset) === NOTHING ? [] : [[partition, Number(offset)]])),
      );
    });

  const committed = (groupId: string, topic: string): Promise<ReadonlyMap<number, number>> =>
    ask([topic], async () => {
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      const partitions = partitionsOf(topic).map((partition) => ({ partition }));
      const { responses } = await coordinator.offsetFetch({ groupId, topics: [{ topic, partitions }] });
      const offsets = responses.flatMap((one) => one.partitions);
      return new Map(
        offsets.flatMap(({ partition, offset }) =>
          Number(offset) === NOTHING ? [] : [[partition, Number(offset)] as const],
        ),
      );
    });

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
        if (id == null) throw new Error('the brokers do not name their cluster');
        return id;
      }),
    partitions: (topic) => ask([topic], async () => partitionsOf(topic).length),
    read: async (topic, partition, offset) => {
      if (offset < 0) return null;
      try {
        // One byte asks for one batch: the broker never sends less than a whole one.
        const messages = await fetch(topic, partition, offset, 1, 0);
        const message = messages.find((found) => Number(found.offset) === offset && !found.isControlRecord);
        return message === undefined ? null : logRecord(topic, partition, message);
      } catch (error) {
        if (kafkaFault(error).type === 'OFFSET_OUT_OF_RANGE') return null;
        throw error;
      }
    },
    bounds: (topic) => ask([topic], () => allBounds(topic)),
    reachableBounds: (topic) => ask([topic], () => askForBounds(topic)),
    committed,
    offsetsAt,
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
