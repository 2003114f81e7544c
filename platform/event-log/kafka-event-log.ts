import { type Either, left } from 'fp-ts/lib/Either.js';
import { Registry } from 'prom-client';
import { type Appender, createAppender } from '../appender/appender.ts';
import { openProducer } from '../appender/producer.ts';
import { followPartitions } from '../consumer/follower.ts';
import { subscribe } from '../consumer/group.ts';
import { openPartitionFetcher } from '../consumer/partition-fetcher.ts';
import type { Logger } from '../logging/logger.ts';
import { durationHistogram, type Metrics, sampledGauge } from '../metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { createReadiness, type Readiness } from '../process/readiness.ts';
import { withTimeout } from '../process/within.ts';
import { openCluster } from './cluster.ts';
import type { AppendFault, EventLog, Subscription, SubscriptionOptions } from './event-log.ts';
import { type KafkaSettings, kafkaClient } from './kafka-client.ts';
import { type LogReader, openLogReader } from './log-reader.ts';
import { openSockets, type Sockets } from './sockets.ts';
import { createTopicCheck, isTopic } from './topic-check.ts';
import { withTopicPrefix } from './topic-prefix.ts';
import { topicSource } from './topic-source.ts';
import { isRetainedForever } from './topics.ts';

export type EventLogOptions = {
  readonly settings: KafkaSettings;
  readonly client_id: string;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly readiness?: Readiness;
  /** Called once if a subscription fails. The process must end, because it reads no more records. */
  readonly on_crash: (error: unknown) => void;
  readonly sockets?: Sockets;
  /** Checks counts and settings of all topics at the start and each minute, not only of topics with appends. */
  readonly watches_topics?: boolean;
};

const HEALTHY_MS = 2_000;
const LAG_MS = 1_000;

/** Removes ULIDs from the name of a group, so that the metrics do not gain a series at each start. */
const groupLabel = (group: string): string => group.replace(/[-_][0-9A-HJKMNP-TV-Z]{26}/g, '');

type Timed = <A>(topic: string, append: Promise<Either<AppendFault, A>>) => Promise<Either<AppendFault, A>>;

const timedAppends = (metrics: Metrics): Timed => {
  const appends = durationHistogram(
    metrics,
    'event_log_append_duration_seconds',
    'Time from an append to its acknowledgement',
    ['topic', 'outcome'],
  );
  return async (topic, append) => {
    const began = performance.now();
    const result = await append;
    const outcome = result._tag === 'Right' ? 'appended' : result.left.tag;
    appends.observe({ topic, outcome }, (performance.now() - began) / 1000);
    return result;
  };
};

type Subscriptions = {
  /** Measures the time of each batch of a subscription, and exports its lag as a metric until it stops. */
  readonly measured: (
    options: SubscriptionOptions,
    begin: (timed: SubscriptionOptions) => Promise<Subscription>,
  ) => Promise<Subscription>;
  readonly stopAll: () => Promise<void>;
};

const measuredSubscriptions = (metrics: Metrics): Subscriptions => {
  const subscriptions = new Map<Subscription, string>();
  const batches = durationHistogram(metrics, 'event_log_batch_duration_seconds', 'Processing time of one batch', [
    'group',
    'topic',
  ]);
  sampledGauge(
    metrics,
    'event_log_lag_records',
    'Records that a consumer group has not processed, on the partitions of this process',
    ['group'],
    () =>
      Promise.all(
        Array.from(subscriptions, async ([subscription, group]) => ({
          labels: { group },
          value: await withTimeout(LAG_MS, subscription.lag(), () => Number.NaN),
        })),
      ),
  );
  return {
    measured: async (options, begin) => {
      const group = groupLabel(options.group);
      const subscription = await begin({
        ...options,
        on_batch: async (batch) => {
          const end = batches.startTimer({ group, topic: batch.topic });
          await options.on_batch(batch);
          end();
        },
      });
      subscriptions.set(subscription, group);
      return {
        ...subscription,
        stop: async () => {
          subscriptions.delete(subscription);
          await subscription.stop();
        },
      };
    },
    stopAll: async () => {
      await Promise.all(Array.from(subscriptions.keys(), (subscription) => subscription.stop()));
    },
  };
};

type Appenders = { readonly of: (topic: string) => Appender; readonly close: () => Promise<void> };

const openAppenders = (metrics: Metrics, open: (name: string) => Appender): Appenders => {
  const events = open('append');
  // Heartbeats have their own appender, so that they never wait for events.
  const heartbeats = open('heartbeat');
  sampledGauge(
    metrics,
    'event_log_impeded_partitions',
    'Partitions that cannot be written: without a leader, or with too few in-sync replicas',
    [],
    async () => [{ labels: {}, value: events.impeded() + heartbeats.impeded() }],
  );
  return {
    of: (topic) => (topic === 'worker-heartbeats' ? heartbeats : events),
    close: async () => {
      await Promise.all([events.close(), heartbeats.close()]);
    },
  };
};

const answers = (reader: LogReader, within_ms: number): Promise<boolean> =>
  withTimeout(
    within_ms,
    reader.ping().then(
      () => true,
      () => false,
    ),
    () => false,
  );

/** Connects at the first append, read or subscription. */
export const openEventLog = ({
  settings,
  client_id,
  logger,
  metrics = new Registry(),
  readiness = createReadiness(),
  on_crash,
  sockets = openSockets(),
  watches_topics = false,
}: EventLogOptions): EventLog => {
  const kafka = kafkaClient(settings, client_id, logger, sockets);
  const reader = openLogReader(settings, client_id, logger, sockets);
  const topics = createTopicCheck(topicSource(kafka, reader, settings.topic_prefix), {
    ...{ logger, metrics, readiness, clock: SYSTEM_CLOCK },
  });
  const known = (topic: string): string => topic.slice(settings.topic_prefix.length);
  const partitionsOf = (topic: string): Promise<number> => {
    const name = known(topic);
    return isTopic(name) ? topics.partitionsOf(name) : reader.partitions(topic);
  };
  const appenders = openAppenders(metrics, (name) =>
    createAppender({
      producer: openProducer(openCluster(settings, `${client_id}-${name}`, logger, sockets)),
      impeded: openProducer(openCluster(settings, `${client_id}-${name}-impeded`, logger, sockets)),
      ...{ partitionsOf, logger, clock: SYSTEM_CLOCK },
    }),
  );
  if (watches_topics) topics.start();
  const closing = new AbortController();
  const timed = timedAppends(metrics);
  const subscriptions = measuredSubscriptions(metrics);
  const healthy = (within_ms = HEALTHY_MS): Promise<boolean> => answers(reader, within_ms);
  readiness.check('kafka', async () => ((await healthy()) ? null : 'no broker answers'));

  /** Left if the topic's partition count has changed. */
  const append = <A>(
    topic: string,
    send: (appender: Appender) => Promise<Either<AppendFault, A>>,
  ): Promise<Either<AppendFault, A>> => {
    const name = known(topic);
    const message = isTopic(name) ? topics.faultOf(name) : null;
    return timed(
      topic,
      message === null ? send(appenders.of(name)) : Promise.resolve(left({ tag: 'not_appended', message })),
    );
  };

  const isKept = (topic: string): boolean => isRetainedForever(known(topic));
  const reading = { logger, readiness, on_crash, closing: closing.signal };
  const log: EventLog = {
    append: (request) => append(request.topic, (appender) => appender.append(request)),
    appendBatch: (request) => append(request.topic, (appender) => appender.appendBatch(request)),
    subscribe: (options) =>
      subscriptions.measured(options, (counted) =>
        subscribe(counted, { kafka, bounds: reader.reachableBounds, isKeptForEver: isKept, ...reading }),
      ),
    follow: (options) =>
      subscriptions.measured(options, (counted) =>
        followPartitions(counted, {
          fetcher: openPartitionFetcher(openCluster(settings, `${client_id}-follow`, logger, sockets), logger),
          ...{ partitionsOf, bounds: reader.reachableBounds, isKeptForEver: isKept, ...reading },
        }),
      ),
    read: (positions) =>
      Promise.all(positions.map(({ topic, partition, offset }) => reader.read(topic, partition, offset))),
    clusterId: reader.clusterId,
    partitions: partitionsOf,
    bounds: reader.bounds,
    reachableBounds: reader.reachableBounds,
    committed: reader.committed,
    offsetsAt: reader.offsetsAt,
    replay: reader.replay,
    healthy,
    close: async () => {
      closing.abort();
      topics.stop();
      await subscriptions.stopAll();
      await appenders.close();
      await reader.close();
      sockets.destroyAll();
    },
  };
  return withTopicPrefix(log, settings.topic_prefix);
};
