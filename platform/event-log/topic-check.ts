import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { type Metrics, sampledGauge } from '../metrics/metrics.ts';
import type { Clock } from '../process/clock.ts';
import type { Readiness } from '../process/readiness.ts';
import type { DeployedTopics } from './deployment-log.ts';
import { isMissingTopic } from './kafka-faults.ts';
import {
  type PartitionCounts,
  partitionCountFaults,
  renderPartitionsIn,
  topicsWithSameCount,
} from './partition-counts.ts';
import { settingsOf } from './topic-settings.ts';
import { TOPICS, type Topic } from './topics.ts';

/** Each method rejects if no broker answers. Topics have their names without prefix. */
export type TopicSource = {
  readonly partitions: (topic: Topic) => Promise<number>;
  /** Discards cached counts, so that `partitions` asks the brokers again. */
  readonly refresh: () => Promise<void>;
  /** The record of the deploy step; null if its version recorded none. */
  readonly deployed: () => Promise<DeployedTopics | null>;
  /** One line for each setting that differs. */
  readonly differences: (wanted: ReadonlyMap<Topic, Readonly<Record<string, string>>>) => Promise<readonly string[]>;
};

export type TopicCheck = {
  /** Why appends to the topic are forbidden; null if they are allowed. */
  readonly faultOf: (topic: Topic) => string | null;
  /** Rejects if the topic's count, or the count of a topic that must have as many partitions, has changed. */
  readonly partitionsOf: (topic: Topic) => Promise<number>;
  readonly start: () => void;
  readonly stop: () => void;
};

const EVERY_MS = 60_000;
const ALL: readonly Topic[] = TOPICS.map(({ name }) => name);
const REFUSED = 'the number of partitions has changed; appends have stopped';

export const isTopic = (name: string): name is Topic => ALL.some((topic) => topic === name);

/** Null if the topic does not exist, because an append to it fails anyway. */
const countOf = async (source: TopicSource, topic: Topic): Promise<number | null> => {
  try {
    return await source.partitions(topic);
  } catch (error) {
    if (isMissingTopic(error)) return null;
    throw error;
  }
};

/** Stops appends if a partition count has changed, so that no render has events in two partitions. */
export const createTopicCheck = (
  source: TopicSource,
  deps: {
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly readiness: Readiness;
    readonly clock: Pick<Clock, 'every'>;
  },
): TopicCheck => {
  const { logger, metrics, readiness, clock } = deps;
  let deployed: DeployedTopics | null = null;
  /** Partitions of the topics keyed by render when this process first saw them. */
  let first_seen: number | null = null;
  const counts = new Map<Topic, number>();
  let faults: ReadonlyMap<Topic, string> = new Map();
  let differences: readonly string[] = [];
  let stop: (() => void) | null = null;

  const learnDeployed = async (): Promise<void> => {
    if (deployed !== null) return;
    deployed = await source.deployed().catch((error: unknown) => {
      logger.debug({ reason: messageOf(error) }, 'the record of the deploy step cannot be read');
      return null;
    });
  };

  const judge = (): void => {
    const found: PartitionCounts = counts;
    first_seen ??= renderPartitionsIn(found);
    const before = new Set(faults.values());
    faults = partitionCountFaults(found, deployed?.render_partitions ?? first_seen);
    const now = new Set(faults.values());
    for (const fault of now) if (!before.has(fault)) logger.error({ fault }, REFUSED);
    if (now.size === 0 && before.size > 0)
      logger.info('the topics have the right number of partitions again; appends continue');
    readiness.set('partitions', now.size === 0 ? null : `${[...now].join(', ')}: appends have stopped`);
  };

  /** Checks topics in sequence, so that an old answer never replaces a newer one. */
  const checkCounts = async (topics: readonly Topic[]): Promise<void> => {
    await learnDeployed();
    for (const topic of topics) {
      const count = await countOf(source, topic);
      if (count === null) counts.delete(topic);
      else counts.set(topic, count);
    }
    judge();
  };

  const checkSettings = async (): Promise<void> => {
    const min_insync_replicas = deployed?.min_insync_replicas ?? null;
    const wanted = new Map(TOPICS.map((topic) => [topic.name, settingsOf(topic, min_insync_replicas)]));
    const found = await source.differences(wanted);
    const fresh = found.filter((one) => !differences.includes(one));
    if (fresh.length > 0) logger.error({ differences: fresh }, 'settings of topics differ from the deployed ones');
    if (found.length > 0 || differences.length > 0) {
      readiness.state('topics', found.length === 0 ? 'as deployed' : found.join('; '));
    }
    differences = found;
  };

  const check = async (): Promise<void> => {
    try {
      await source.refresh();
      await checkCounts(ALL);
      await checkSettings();
    } catch (error) {
      // Kafka is unavailable or denies access. The last results stay valid.
      logger.debug({ reason: messageOf(error) }, 'the topics cannot be checked');
    }
  };

  sampledGauge(
    metrics,
    'event_log_topic_differences',
    'Topics that differ from the deployed ones',
    ['kind'],
    async () => [
      { labels: { kind: 'partitions' }, value: new Set(faults.values()).size },
      { labels: { kind: 'settings' }, value: differences.length },
    ],
  );

  return {
    faultOf: (topic) => {
      const fault = faults.get(topic);
      return fault === undefined ? null : `${REFUSED}: ${fault}`;
    },
    partitionsOf: async (topic) => {
      await checkCounts(topicsWithSameCount(topic));
      const fault = faults.get(topic);
      if (fault !== undefined) throw new Error(`${REFUSED}: ${fault}`);
      return counts.get(topic) ?? (await source.partitions(topic));
    },
    start: () => {
      void check();
      stop ??= clock.every(EVERY_MS, () => void check());
    },
    stop: () => stop?.(),
  };
};
