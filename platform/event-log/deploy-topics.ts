import { setTimeout as pause } from 'node:timers/promises';
import kafkajs, { type Admin, type IResourceConfigEntry, type ITopicMetadata } from 'kafkajs';
import type { Logger } from '../logging/logger.ts';
import { type KafkaSettings, kafkaClient } from './kafka-client.ts';
import { isMissingTopic } from './kafka-faults.ts';
import { choosePartitionCount, type PartitionCounts } from './partition-counts.ts';
import { openSockets } from './sockets.ts';
import { settingDifferences, settingsOf } from './topic-settings.ts';
import { TOPICS, type TopicDefinition } from './topics.ts';

export type TopicDeployment = {
  /** Partitions of the topics that are keyed by render; undefined keeps the present number. */
  readonly render_partitions: number | undefined;
  /** Partition count of the same topics in a new log, if `render_partitions` is undefined. */
  readonly new_log_partitions: number;
  readonly replication_factor: number;
  readonly min_insync_replicas: number;
};

export type TopicDeploymentResult = {
  readonly created: readonly string[];
  readonly differences: readonly string[];
  /** Null if the deploy step is refused. */
  readonly render_partitions: number | null;
};

const KNOWN_WITHIN_MS = 20_000;
const LOOK_MS = 100;

/**
 * Waits until the brokers know the topics. A broker may learn of a topic after the controller has created it; the wait
 * in kafkajs then fails.
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

const countsOf = async (admin: Admin, topics: readonly NamedTopic[]): Promise<PartitionCounts> => {
  const present = new Set(await admin.listTopics());
  const known = topics.filter(({ wire_name }) => present.has(wire_name));
  if (known.length === 0) return new Map();
  const metadata = await admin.fetchTopicMetadata({ topics: known.map(({ wire_name }) => wire_name) });
  const counts = new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]));
  return new Map(known.map(({ name, wire_name }) => [name, counts.get(wire_name) ?? 0]));
};

type NamedTopic = TopicDefinition & { readonly wire_name: string };

const named = ({ topic_prefix }: KafkaSettings): readonly NamedTopic[] =>
  TOPICS.map((topic) => ({ ...topic, wire_name: `${topic_prefix}${topic.name}` }));

/**
 * Never changes an existing topic, because an operator decides about that. Creates nothing if a partition count is
 * wrong.
 * @param deployed_partitions the count that an earlier deploy step recorded; null if it recorded none
 */
export const deployTopics = async (
  settings: KafkaSettings,
  deployment: TopicDeployment,
  logger: Logger,
  deployed_partitions: number | null = null,
): Promise<TopicDeploymentResult> => {
  const { replication_factor, min_insync_replicas } = deployment;
  const topics = named(settings);
  const sockets = openSockets();
  const admin = kafkaClient(settings, 'deploy', logger, sockets).admin({ retry: { retries: 8 } });
  await admin.connect();
  try {
    const found = await countsOf(admin, topics);
    const chosen = choosePartitionCount(
      found,
      deployment.render_partitions,
      deployed_partitions,
      deployment.new_log_partitions,
    );
    if (chosen.tag === 'refused') return { created: [], differences: chosen.differences, render_partitions: null };
    const { render_partitions } = chosen;
    const missing = topics.filter(({ name }) => !found.has(name));
    if (missing.length > 0) {
      await admin.createTopics({
        waitForLeaders: false,
        timeout: 20_000,
        topics: missing.map((topic) => ({
          topic: topic.wire_name,
          numPartitions: topic.partitions === 'by_render' ? render_partitions : topic.partitions,
          replicationFactor: replication_factor,
          configEntries: Object.entries(settingsOf(topic, min_insync_replicas)).map(
            ([name, value]): IResourceConfigEntry => ({ name, value }),
          ),
        })),
      });
    }
    const names = topics.map(({ wire_name }) => wire_name);
    const metadata = await topicsOnceKnown(admin, names);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
    });
    const differences = topics.flatMap((topic) => {
      const partitions = metadata.find(({ name }) => name === topic.wire_name)?.partitions ?? [];
      const replicas = partitions.map((partition) => partition.replicas.length);
      return [
        ...(replicas.every((count) => count >= replication_factor)
          ? []
          : [`${topic.wire_name}: has ${Math.min(...replicas)} replicas, must have ${replication_factor}`]),
        ...settingDifferences(
          topic.wire_name,
          settingsOf(topic, min_insync_replicas),
          resources.find(({ resourceName }) => resourceName === topic.wire_name)?.configEntries ?? [],
        ),
      ];
    });
    return { created: missing.map(({ wire_name }) => wire_name), differences, render_partitions };
  } finally {
    await admin.disconnect();
    sockets.destroyAll();
  }
};
