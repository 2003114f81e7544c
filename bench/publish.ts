import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import { decodeConfiguration } from '../platform/configuration/configuration.ts';
import { DEPLOYMENT, EVENT_LOG, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { deployTopics } from '../platform/event-log/deploy-topics.ts';
import { openEventLog } from '../platform/event-log/kafka-event-log.ts';
import { openSockets, type Sockets } from '../platform/event-log/sockets.ts';
import { createLogger } from '../platform/logging/logger.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { appendAcknowledged } from '../platform/records/append-acknowledged.ts';
import { openRecordLog } from '../platform/records/avro-record-log.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import { createProjectionMetrics } from '../projectors/checkpoint/projection-metrics.ts';
import { foldBatch } from '../projectors/render/fold-batch.ts';
import { createStatusPublisher } from '../projectors/render/publish.ts';
import { createRenderMetrics } from '../projectors/render/render-metrics.ts';
import type { StatusToPublish } from '../projectors/render/status-record.ts';
import type { Stack } from '../stack/launcher.ts';
import { freePort } from '../stack/process/ports.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { lifecycleEntries } from './render-lives.ts';

const ROUND_TRIP_MS = 5;
const PARTITION = 0;
const RUN = 200;
const LIVES = 5_000;
const WARM_UP = 2_000;
const ONE_BY_ONE = 400;
const LONE = 200;
const NEVER = new AbortController().signal;
const logger = createLogger('bench', 'warn');

const statusOfLives = (): readonly StatusToPublish[] => foldBatch(new Map(), lifecycleEntries(LIVES)).after.status;

/** Connects to the stack's broker through a proxy that adds delay. */
const withDelay = async <A>(broker: string, work: (sockets: Sockets) => Promise<A>): Promise<A> => {
  const port = await freePort();
  const main = fileURLToPath(new URL('delaying-proxy/main.ts', import.meta.url));
  const env = {
    PORT: String(port),
    TARGET_PORT: new URL(`tcp://${broker}`).port,
    ROUND_TRIP_MS: String(ROUND_TRIP_MS),
  };
  const proxy = execa(process.execPath, [main], { env, reject: false });
  try {
    await once(proxy.stdout, 'data');
    const sockets = openSockets();
    return await work({ ...sockets, create: (to) => sockets.create({ ...to, port }) });
  } finally {
    proxy.kill('SIGKILL');
    await proxy;
  }
};

const perSecond = async (count: number, work: () => Promise<void>): Promise<number> => {
  const began = performance.now();
  await work();
  return Math.round((count * 1_000) / (performance.now() - began));
};

const measure = async (records: RecordLog): Promise<readonly BenchmarkResult[]> => {
  const metrics = createMetrics('bench');
  const counted = { projection: createProjectionMetrics(metrics)(1), renders: createRenderMetrics(metrics) };
  const publish = createStatusPublisher(records, 'render-status', counted, logger, SYSTEM_CLOCK);
  const status = statusOfLives();
  const inRuns = async (all: readonly StatusToPublish[], run: number): Promise<void> => {
    for (let begin = 0; begin < all.length; begin += run)
      await publish(PARTITION, all.slice(begin, begin + run), NEVER);
  };
  const oneByOne = async (all: readonly StatusToPublish[]): Promise<void> => {
    const options = { signal: NEVER, clock: SYSTEM_CLOCK, onFault: () => undefined };
    for (const { record, headers } of all) {
      const request = { topic: 'render-status', partition: PARTITION, key: record.render_id, record, headers } as const;
      await appendAcknowledged(records, [request], options);
    }
  };

  await inRuns(status.slice(0, WARM_UP), RUN);
  const before = await perSecond(ONE_BY_ONE, () => oneByOne(status.slice(0, ONE_BY_ONE)));
  const measured = status.slice(WARM_UP);
  const after = await perSecond(measured.length, () => inRuns(measured, RUN));
  const lone: number[] = [];
  for (const one of status.slice(0, LONE)) {
    const began = performance.now();
    await publish(PARTITION, [one], NEVER);
    lone.push(performance.now() - began);
  }
  const where = `${ROUND_TRIP_MS} ms from the broker, one partition`;
  return [
    [`published ${where}, in runs of ${RUN}, ${measured.length} events`, `${after} events/s`, 'at least 5000'],
    [`published ${where}, one record for each round trip`, `${before} events/s`, ''],
    [
      `a lone event published ${where}`,
      `p50 ${millisecondsText(quantile(lone, 0.5))}, p99 ${millisecondsText(quantile(lone, 0.99))}`,
      '',
    ],
  ];
};

/** Measures only the publisher, on separate topics, because the stack's projectors publish to theirs. */
export const benchPublish = async ({ env }: Stack): Promise<readonly BenchmarkResult[]> => {
  const parts = { log: EVENT_LOG, registry: SCHEMA_REGISTRY, deployment: DEPLOYMENT };
  const decoded = decodeConfiguration({ ...env, KAFKA_TOPIC_PREFIX: `bench-${ulid()}.` }, parts);
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { log: settings, registry, deployment } = decoded.right;
  await deployTopics(settings, deployment, logger);
  return await withDelay(settings.brokers[0] ?? '', async (sockets) => {
    const on_crash = (error: unknown): void => {
      throw error;
    };
    const log = openEventLog({ settings, client_id: 'bench', logger, on_crash, sockets });
    try {
      return await measure(await openRecordLog({ settings: registry, log, logger, appends: [] }));
    } finally {
      await log.close();
    }
  });
};
