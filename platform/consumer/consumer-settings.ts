import type { Consumer, Kafka } from 'kafkajs';
import { capableAssigner } from './capable-assigner.ts';

/** The broker's minimum. If a process is killed, its partitions have no owner for this long. */
const SESSION_TIMEOUT_MS = 6_000;
const HEARTBEAT_MS = 1_500;
const REBALANCE_TIMEOUT_MS = 60_000;
/** A fetch waits this long at the end of the log. New records are delivered at once. */
const MAX_WAIT_MS = 500;
const MAX_BYTES_PER_PARTITION = 1024 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;

/** @param unreadable partitions that this process cannot read, sent to the group at each join */
export const createConsumer = (kafka: Kafka, group: string, unreadable: () => readonly string[]): Consumer =>
  kafka.consumer({
    groupId: group,
    partitionAssigners: [capableAssigner(unreadable)],
    sessionTimeout: SESSION_TIMEOUT_MS,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: MAX_WAIT_MS,
    minBytes: 1,
    maxBytes: MAX_BYTES,
    maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
    allowAutoTopicCreation: false,
    readUncommitted: true,
    // After these retries kafkajs restarts the consumer, if the error is retriable.
    retry: { retries: 8, initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 },
  });

/** A broker that has just started returns these errors for some seconds. kafkajs does not retry them. */
export const TRANSIENT_ERRORS: ReadonlySet<string> = new Set([
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSBrokerNotFound',
  'KafkaJSLockTimeout',
]);
