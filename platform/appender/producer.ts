import type Cluster from 'kafkajs/src/cluster/index.js';
import { createErrorFromCode } from 'kafkajs/src/protocol/error.js';
import { avoidBroker, leaderOf } from '../event-log/cluster.ts';
import type { BatchRequest } from '../event-log/event-log.ts';
import { kafkaFault } from '../event-log/kafka-faults.ts';
import { messageOf } from '../logging/message-of.ts';

/** Brokers use it, with the sequence of each partition, to recognise a repeated batch. */
export type ProducerIdentity = { readonly producer_id: string; readonly producer_epoch: number };

/** One record batch of one partition. If it is sent twice with the same identity and sequence, it is written once. */
export type NumberedBatch = BatchRequest & { readonly identity: ProducerIdentity; readonly first_sequence: number };

/**
 * - `refused`: not written, and another try cannot help.
 * - `not_written`: not written, and another try can help.
 * - `unknown`: it may have been written. A repetition returns the outcome.
 * - `disowned`: not written, because the broker does not know the identity in this partition.
 */
export type SendOutcome =
  | { readonly tag: 'appended'; readonly offset: number; readonly append_time_ms: number }
  | { readonly tag: 'refused'; readonly message: string; readonly too_large: boolean }
  | {
      readonly tag: 'not_written' | 'unknown' | 'disowned';
      readonly message: string;
      /** The broker did not answer, so the partition itself may be healthy. */
      readonly is_unanswered: boolean;
    };

export type Producer = {
  /** Requests leaders that are unknown or outdated. Returns whether it sent a request. Rejects if no broker answers. */
  readonly refreshMetadata: (topics: readonly string[]) => Promise<boolean>;
  /** The last known leader: null if the partition has no leader; undefined if the topic is unknown. */
  readonly leaderOf: (topic: string, partition: number) => number | null | undefined;
  readonly newIdentity: () => Promise<ProducerIdentity>;
  /** Tries once, with at most one batch of each partition. Outcomes are in the order of the batches. Never rejects. */
  readonly send: (leader: number, batches: readonly NumberedBatch[]) => Promise<readonly SendOutcome[]>;
  readonly close: () => Promise<void>;
};

/** A broker waits this long for its followers before it answers that the outcome is unknown. */
const REPLICATED_WITHIN_MS = 3_000;
const ALL_IN_SYNC = -1;

const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** The broker rejects such a batch each time that it is sent. */
const REFUSALS = new Set([
  ...TOO_LARGE,
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_RECORD',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);
/**
 * Errors that a broker returns only before a write. `NOT_LEADER_FOR_PARTITION` is not listed, because it can also
 * follow a write.
 */
const NOT_WRITTEN = new Set(['NOT_ENOUGH_REPLICAS']);
const DISOWNED = new Set(['OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID', 'INVALID_PRODUCER_EPOCH']);

type Answer = { readonly errorCode: number; readonly baseOffset: string; readonly logAppendTime: string };

const outcomeOf = (answer: Answer | undefined): SendOutcome => {
  const unknown = (message: string): SendOutcome => ({ tag: 'unknown', message, is_unanswered: false });
  if (answer === undefined) return unknown('the broker did not return the offset of the record');
  if (answer.errorCode !== 0) {
    const { type = '', message } = kafkaFault(createErrorFromCode(answer.errorCode));
    if (REFUSALS.has(type)) return { tag: 'refused', message, too_large: TOO_LARGE.has(type) };
    if (NOT_WRITTEN.has(type)) return { tag: 'not_written', message, is_unanswered: false };
    return DISOWNED.has(type) ? { tag: 'disowned', message, is_unanswered: false } : unknown(message);
  }
  const [offset, append_time_ms] = [Number(answer.baseOffset), Number(answer.logAppendTime)];
  if (append_time_ms < 0)
    return unknown('the broker returned no append time: set message.timestamp.type of the topic to LogAppendTime');
  return { tag: 'appended', offset, append_time_ms };
};

const topicDataOf = (batches: readonly NumberedBatch[]) =>
  Array.from(
    Map.groupBy(batches, ({ topic }) => topic),
    ([topic, ofTopic]) => ({
      topic,
      partitions: ofTopic.map(({ partition, records, identity, first_sequence }) => ({
        partition,
        firstSequence: first_sequence,
        producerId: identity.producer_id,
        producerEpoch: identity.producer_epoch,
        messages: records.map(({ key, value, headers = {} }) => ({ key, value, headers })),
      })),
    }),
  );

/** Each producer has its own connections, so it does not wait for responses to other requests. */
export const openProducer = (cluster: Cluster): Producer => {
  let stale = false;

  const fault = (error: unknown): string => {
    stale = true;
    avoidBroker(cluster, error);
    return messageOf(error);
  };

  const connected = async (): Promise<void> => {
    if (!cluster.isConnected()) await cluster.connect();
  };

  return {
    refreshMetadata: async (topics) => {
      try {
        await connected();
        const before = cluster.brokerPool.metadata;
        await cluster.addMultipleTargetTopics([...topics]);
        const is_stale = stale;
        stale = false;
        if (is_stale) await cluster.refreshMetadata();
        else await cluster.refreshMetadataIfNecessary();
        return cluster.brokerPool.metadata !== before;
      } catch (error) {
        fault(error);
        throw error;
      }
    },
    leaderOf: (topic, partition) => leaderOf(cluster, topic, partition),
    newIdentity: async () => {
      try {
        await connected();
        await cluster.refreshMetadataIfNecessary();
        const broker = await cluster.findControllerBroker();
        const { producerId, producerEpoch } = await broker.initProducerId({});
        return { producer_id: producerId, producer_epoch: producerEpoch };
      } catch (error) {
        fault(error);
        throw error;
      }
    },
    send: async (leader, batches) => {
      const all = (outcome: SendOutcome): readonly SendOutcome[] => batches.map(() => outcome);
      let broker: Awaited<ReturnType<Cluster['findBroker']>>;
      try {
        broker = await cluster.findBroker({ nodeId: String(leader) });
      } catch (error) {
        return all({ tag: 'not_written', message: fault(error), is_unanswered: true });
      }
      try {
        const { topics } = await broker.produce({
          acks: ALL_IN_SYNC,
          timeout: REPLICATED_WITHIN_MS,
          topicData: topicDataOf(batches),
        });
        const answers = new Map(
          topics.flatMap(({ topicName, partitions }) =>
            partitions.map((answer) => [`${topicName}/${answer.partition}`, answer] as const),
          ),
        );
        const outcomes = batches.map(({ topic, partition }) => outcomeOf(answers.get(`${topic}/${partition}`)));
        if (outcomes.some(({ tag }) => tag === 'unknown')) stale = true;
        return outcomes;
      } catch (error) {
        return all({ tag: 'unknown', message: fault(error), is_unanswered: true });
      }
    },
    close: () => cluster.disconnect().catch(() => undefined),
  };
};
