import type Cluster from 'kafkajs/src/cluster/index.js';
import { createErrorFromCode } from 'kafkajs/src/protocol/error.js';
import { messageOf } from '../logging/message-of.ts';
import { leaderOf, passOver } from './cluster.ts';
import type { BatchRequest } from './event-log.ts';
import { kafkaFault } from './kafka-faults.ts';

/** By which brokers know a repeated batch. Each partition counts its own records in it. */
export type ProducerIdentity = { readonly producer_id: string; readonly producer_epoch: number };

/** One record batch of one partition. Sent again with the same identity and sequence it is written once. */
export type NumberedBatch = BatchRequest & { readonly identity: ProducerIdentity; readonly first_sequence: number };

/**
 * What one try did. `refused`, `not_written`: nothing was written by it, and another try cannot or can help. `unknown`:
 * it may have been, and a repetition tells. `disowned`: the broker does not know the identity in this partition, and
 * wrote nothing.
 */
export type TryOutcome =
  | { readonly tag: 'appended'; readonly offset: number; readonly append_time_ms: number }
  | { readonly tag: 'refused'; readonly message: string; readonly too_large: boolean }
  | {
      readonly tag: 'not_written' | 'unknown' | 'disowned';
      readonly message: string;
      /** The broker did not answer, and nothing is known of this partition. */
      readonly is_unanswered: boolean;
    };

export type Producer = {
  /**
   * Asks for the leaders of these topics, unless they are known; asks anew after a fault.
   *
   * @returns whether it had to ask. Rejects if no broker answers.
   */
  readonly learn: (topics: readonly string[]) => Promise<boolean>;
  /** As it was last told: null while there is none; undefined where nothing is known of the topic. */
  readonly leaderOf: (topic: string, partition: number) => number | null | undefined;
  readonly newIdentity: () => Promise<ProducerIdentity>;
  /** One try, at one broker, with one batch at most of each partition; outcomes in order of the batches. Never rejects. */
  readonly send: (leader: number, batches: readonly NumberedBatch[]) => Promise<readonly TryOutcome[]>;
  readonly close: () => Promise<void>;
};

/** What a broker waits for its followers before it says that it does not know. */
const REPLICATED_WITHIN_MS = 3_000;
const ALL_IN_SYNC = -1;

/** Said of a record batch, or of one record, that is larger than what the topic allows. */
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** Said of a batch that the broker did not take, and would not take a second time either. */
const REFUSALS = new Set([
  ...TOO_LARGE,
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_RECORD',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);
/** Said before anything is written. `NOT_LEADER_FOR_PARTITION` is not among them: it may be said after it, too. */
const NOT_WRITTEN = new Set(['NOT_ENOUGH_REPLICAS']);
const DISOWNED = new Set(['OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID', 'INVALID_PRODUCER_EPOCH']);

type Answer = { readonly errorCode: number; readonly baseOffset: string; readonly logAppendTime: string };

const outcomeOf = (answer: Answer | undefined): TryOutcome => {
  const unknown = (message: string): TryOutcome => ({ tag: 'unknown', message, is_unanswered: false });
  if (answer === undefined) return unknown('the broker did not say where it went');
  if (answer.errorCode !== 0) {
    const { type = '', message } = kafkaFault(createErrorFromCode(answer.errorCode));
    if (REFUSALS.has(type)) return { tag: 'refused', message, too_large: TOO_LARGE.has(type) };
    if (NOT_WRITTEN.has(type)) return { tag: 'not_written', message, is_unanswered: false };
    return DISOWNED.has(type) ? { tag: 'disowned', message, is_unanswered: false } : unknown(message);
  }
  const [offset, append_time_ms] = [Number(answer.baseOffset), Number(answer.logAppendTime)];
  if (append_time_ms < 0) return unknown('the broker told no append time: is it a LogAppendTime topic?');
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

/** A producer over connections of its own, which waits for nobody else's answers. */
export const openProducer = (cluster: Cluster): Producer => {
  let stale = false;

  const fault = (error: unknown): string => {
    stale = true;
    passOver(cluster, error);
    return messageOf(error);
  };

  const connected = async (): Promise<void> => {
    if (!cluster.isConnected()) await cluster.connect();
  };

  return {
    learn: async (topics) => {
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
      const all = (outcome: TryOutcome): readonly TryOutcome[] => batches.map(() => outcome);
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
        // It may be another broker's by now.
        if (outcomes.some(({ tag }) => tag === 'unknown')) stale = true;
        return outcomes;
      } catch (error) {
        return all({ tag: 'unknown', message: fault(error), is_unanswered: true });
      }
    },
    close: () => cluster.disconnect().catch(() => undefined),
  };
};
