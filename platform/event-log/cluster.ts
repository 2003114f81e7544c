import Cluster from 'kafkajs/src/cluster/index.js';
import type { Logger } from '../logging/logger.ts';
import {
  CONNECT_RETRY,
  CONNECTION_TIMEOUT_MS,
  type KafkaSettings,
  kafkaClient,
  REQUEST_TIMEOUT_MS,
  saslOf,
} from './kafka-client.ts';
import { kafkaFault } from './kafka-faults.ts';
import type { Sockets } from './sockets.ts';

const READ_UNCOMMITTED = 0;

export const openCluster = (settings: KafkaSettings, client_id: string, logger: Logger, sockets: Sockets): Cluster =>
  new Cluster({
    logger: kafkaClient(settings, client_id, logger, sockets).logger(),
    socketFactory: sockets.create,
    brokers: settings.brokers,
    ssl: settings.tls,
    sasl: saslOf(settings),
    clientId: client_id,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: 10_000,
    reauthenticationThreshold: 10_000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    metadataMaxAge: 300_000,
    allowAutoTopicCreation: false,
    maxInFlightRequests: null,
    isolationLevel: READ_UNCOMMITTED,
    retry: CONNECT_RETRY,
  });

/** kafkajs names a broker that did not answer in time as `host:port`. */
const ADDRESS = /^(.+):(\d+)$/;

/** Sends requests to other brokers until the metadata lists the faulty broker again. */
export const avoidBroker = (cluster: Cluster, error: unknown): void => {
  const { host, port, broker } = kafkaFault(error);
  if (host !== undefined && port !== undefined) cluster.removeBroker({ host, port });
  const [, unanswering, its_port] = ADDRESS.exec(broker ?? '') ?? [];
  if (unanswering !== undefined) cluster.removeBroker({ host: unanswering, port: Number(its_port) });
};

/** Null if the partition has no leader; undefined if the topic is unknown. */
export const leaderOf = (cluster: Cluster, topic: string, partition: number): number | null | undefined => {
  const found = cluster.brokerPool.metadata?.topicMetadata.find((one) => one.topic === topic);
  if (found === undefined) return undefined;
  const leader = found.partitionMetadata.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  return leader < 0 ? null : leader;
};
