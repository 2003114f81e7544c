import { type Kafka, type Message, Partitioners, type Producer } from 'kafkajs';
import { within } from '../process/within.ts';
import type { Appended, AppendRequest } from './event-log.ts';
import { kafkaFault } from './kafka-faults.ts';

export type Placed = { readonly request: AppendRequest; readonly partition: number };

/** `refused` proves that nothing was written. */
export type SendFault = {
  readonly tag: 'refused' | 'unknown';
  readonly message: string;
  readonly too_large: boolean;
};

const SEND_TIMEOUT_MS = 10_000;

/** Said by the broker of a record batch, or of one record, that is larger than what the topic allows. */
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** Said by the broker of a batch that it did not take, and would not take a second time either. */
const REFUSALS = new Set([
  ...TOO_LARGE,
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_RECORD',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

const byTopic = (batch: readonly Placed[]): readonly { topic: string; messages: Message[] }[] => {
  const topics = Map.groupBy(batch, ({ request }) => request.topic);
  return Array.from(topics, ([topic, placed]) => ({
    topic,
    messages: placed.map(({ request, partition }) => ({
      key: request.key,
      value: request.value,
      partition,
      headers: { ...request.headers },
    })),
  }));
};

/**
 * One idempotent producer with one send in flight. After a send that failed it is thrown away, because kafkajs rolls
 * its sequence numbers back: a batch that was written after all would make the next one look like its repetition.
 */
export type AppendProducer = {
  /** Where each record went, in the order of the batch; rejects with `SendFault`. */
  readonly send: (batch: readonly Placed[]) => Promise<readonly Appended[]>;
  readonly discard: () => Promise<void>;
};

/** Rejects if no broker can be reached; nothing was sent then. */
export const connectProducer = async (kafka: Kafka): Promise<AppendProducer> => {
  let fenced = false;
  const place = Partitioners.DefaultPartitioner();
  const producer: Producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    // Asked at every try of a send: so one that was given up does not go on trying behind our back.
    createPartitioner: () => (message) => {
      if (fenced) throw new TypeError('this producer was given up');
      return place(message);
    },
    retry: { retries: 30, initialRetryTime: 50, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 },
  });
  const discard = async (): Promise<void> => {
    fenced = true;
    await producer.disconnect().catch(() => undefined);
  };
  try {
    await producer.connect();
  } catch (error) {
    void discard();
    throw error;
  }

  const send = async (batch: readonly Placed[]): Promise<readonly Appended[]> => {
    const answers = await producer.sendBatch({ acks: -1, timeout: 8_000, topicMessages: [...byTopic(batch)] });
    const starts = new Map(answers.map((answer) => [`${answer.topicName}/${answer.partition}`, answer]));
    const counts = new Map<string, number>();
    return batch.map(({ request, partition }) => {
      const key = `${request.topic}/${partition}`;
      const index = counts.get(key) ?? 0;
      counts.set(key, index + 1);
      const start = starts.get(key);
      const append_time_ms = Number(start?.logAppendTime ?? -1);
      if (start?.baseOffset === undefined || append_time_ms < 0) {
        throw new Error(`the broker told no offset or no append time for ${key} (is it a LogAppendTime topic?)`);
      }
      return { partition, offset: Number(start.baseOffset) + index, append_time_ms };
    });
  };

  const faultOf = (error: unknown, batch: readonly Placed[]): SendFault => {
    const { type = '', message } = kafkaFault(error);
    // In a send to several partitions the others may have been written: the error is only that of the first.
    const alone = new Set(batch.map(({ request, partition }) => `${request.topic}/${partition}`)).size === 1;
    return { tag: alone && REFUSALS.has(type) ? 'refused' : 'unknown', message, too_large: TOO_LARGE.has(type) };
  };

  return {
    send: async (batch) => {
      try {
        return await within(SEND_TIMEOUT_MS, send(batch), () => {
          throw new Error(`no answer from the brokers in ${SEND_TIMEOUT_MS} ms`);
        });
      } catch (error) {
        const fault: SendFault = faultOf(error, batch);
        throw fault;
      }
    },
    discard,
  };
};
