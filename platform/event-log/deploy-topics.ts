import { setTimeout as pause } from 'node:timers/promises';
import kafkajs, { type Admin, type IResourceConfigEntry, type ITopicMetadata } from 'kafkajs';
import type { Logger } from '../logging/logger.ts';
import { type KafkaSettings, kafkaClient } from './kafka-client.ts';
import { isMissingTopic } from './kafka-faults.ts';
import { openSockets } from './sockets.ts';
import { TOPICS, type TopicDefinition } from './topics.ts';

export type Deployment = {
  readonly render_partitions: number;
  readonly replication_factor: number;
  readonly min_insync_replicas: number;
};

export type TopicsDeployed = { readonly created: readonly string[]; readonly differences: readonly string[] };

const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Short-lived topics are cut in segments, or nothing would ever expire. */
const MIN_SEGMENT_MS = 60_000;

/** What a topic must be set to, in Kafka's words. */
export const settingsOf = (
  { retention_ms }: Pick<TopicDefinition, 'retention_ms'>,
  { min_insync_replicas }: Deployment,
) => ({
  'cleanup.policy': 'delete',
  'message.timestamp.type': 'LogAppendTime',
  'max.message.bytes': String(MAX_MESSAGE_BYTES),
  'min.insync.replicas': String(min_insync_replicas),
  'retention.bytes': '-1',
  'retention.ms': String(retention_ms ?? -1),
  ...(retention_ms === null ? {} : { 'segment.ms': String(Math.max(MIN_SEGMENT_MS, Math.floor(retention_ms / 4))) }),
  'unclean.leader.election.enable': 'false',
});

export const partitionsOf = (topic: Pick<TopicDefinition, 'partitions'>, { render_partitions }: Deployment): number =>
  topic.partitions === 'by_render' ? render_partitions : topic.partitions;

const differing = (
  topic: string,
  wanted: Readonly<Record<string, string>>,
  found: readonly { configName: string; configValue: string }[],
): readonly string[] => {
  const values = new Map(found.map(({ configName, configValue }) => [configName, configValue]));
  return Object.entries(wanted)
    .filter(([name, value]) => values.get(name) !== value)
    .map(([name, value]) => `${topic}: ${name} is ${values.get(name) ?? 'unknown'}, must be ${value}`);
};

const KNOWN_WITHIN_MS = 20_000;
const LOOK_MS = 100;

/**
 * Waits until the broker knows all topics with their leaders: it may learn of a topic only after the controller has made
 * it. (What kafkajs waits for by itself ends with an error then.)
 */
const topicsOnceKnown = async (admin: Admin, topics: string[]): Promise<readonly ITopicMetadata[]> => {
  const deadline = performance.now() + KNOWN_WITHIN_MS;
  for (;;) {
    const found = await admin.fetchTopicMetadata({ topics }).catch((error: unknown) => {
      if (isMissingTopic(error)) return null;
      throw error;
    });
    if (found?.topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) return found.topics;
    if (performance.now() > deadline)
      throw new Error(`the broker does not know all topics with their leaders after ${KNOWN_WITHIN_MS / 1_000} s`);
    await pause(LOOK_MS);
  }
};

/**
 * Creates the topics that are missing, and compares the others: how each differs, one line for each difference. They
 * are not changed: partition counts can never be, and the rest is for an operator to decide.
 */
export const deployTopics = async (
  settings: KafkaSettings,
  deployment: Deployment,
  logger: Logger,
): Promise<TopicsDeployed> => {
  const topics = TOPICS.map((topic) => ({ ...topic, name: `${settings.topic_prefix}${topic.name}` }));
  const sockets = openSockets();
  const admin = kafkaClient(settings, 'deploy', logger, sockets).admin({ retry: { retries: 8 } });
  await admin.connect();
  try {
    const present = new Set(await admin.listTopics());
    const missing = topics.filter(({ name }) => !present.has(name));
    if (missing.length > 0) {
      await admin.createTopics({
        waitForLeaders: false,
        timeout: 20_000,
        topics: missing.map((topic) => ({
          topic: topic.name,
          numPartitions: partitionsOf(topic, deployment),
          replicationFactor: deployment.replication_factor,
          configEntries: Object.entries(settingsOf(topic, deployment)).map(
            ([name, value]): IResourceConfigEntry => ({
              name,
              value,
            }),
          ),
        })),
      });
    }
    const names = topics.map(({ name }) => name);
    const metadata = await topicsOnceKnown(admin, names);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
    });
    const differences = topics.flatMap((topic) => {
      const found = metadata.find(({ name }) => name === topic.name)?.partitions ?? [];
      const wanted = partitionsOf(topic, deployment);
      const replicas = found.map((partition) => partition.replicas.length);
      return [
        ...(found.length === wanted
          ? []
          : [`${topic.name}: has ${found.length} partitions, must have ${wanted}; this can never be changed`]),
        ...(replicas.every((count) => count >= deployment.replication_factor)
          ? []
          : [`${topic.name}: has ${Math.min(...replicas)} replicas, must have ${deployment.replication_factor}`]),
        ...differing(
          topic.name,
          settingsOf(topic, deployment),
          resources.find(({ resourceName }) => resourceName === topic.name)?.configEntries ?? [],
        ),
      ];
    });
    return { created: missing.map(({ name }) => name), differences };
  } finally {
    await admin.disconnect();
    sockets.destroyAll();
  }
};
