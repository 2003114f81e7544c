import test from 'ava';
import { createTopicCheck, type TopicSource } from '../../../platform/event-log/topic-check.ts';
import type { Topic } from '../../../platform/event-log/topics.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';

const world = (deployed: number | null = null) => {
  const counts = new Map<Topic, number>([
    ['render-events', 4],
    ['render-status', 4],
    ['webhook-events', 4],
    ['catalogue-events', 1],
  ]);
  const cluster = { away: false, differences: [] as readonly string[] };
  const answer = <A>(value: A): Promise<A> =>
    cluster.away ? Promise.reject(new Error('no broker answers')) : Promise.resolve(value);
  const source: TopicSource = {
    partitions: (topic) => answer(counts.get(topic) ?? 1),
    refresh: () => answer(undefined),
    deployed: () => answer(deployed === null ? null : { render_partitions: deployed, min_insync_replicas: 2 }),
    differences: () => answer(cluster.differences),
  };
  let minute: () => void = () => undefined;
  const readiness = createReadiness();
  const metrics = createMetrics('test');
  const check = createTopicCheck(source, {
    ...{ logger: createLogger('test', 'silent'), metrics, readiness },
    clock: {
      every: (_ms, run) => {
        minute = run;
        return () => undefined;
      },
    },
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...{ counts, cluster, check, readiness, metrics },
    start: async () => {
      check.start();
      await settled();
    },
    aMinuteLater: async () => {
      minute();
      await settled();
    },
  };
};

test('a count that changes at run time stops appends within a minute', async (t) => {
  const { counts, check, readiness, start, aMinuteLater } = world();
  await start();
  t.is(check.faultOf('render-events'), null);
  t.deepEqual(await readiness.problems(), {});

  for (const topic of ['render-events', 'render-status', 'webhook-events'] as const) counts.set(topic, 8);
  t.is(check.faultOf('render-events'), null);
  await aMinuteLater();
  t.regex(
    check.faultOf('render-events') ?? '',
    /number of partitions has changed.*render-events has 8 .* instead of 4/,
  );
  t.is(check.faultOf('worker-heartbeats'), null, 'attempts continue');
  t.regex((await readiness.problems()).partitions ?? '', /webhook-events has 8 partitions instead of 4/);
  await t.throwsAsync(check.partitionsOf('render-status'), { message: /appends have stopped/ });

  for (const topic of ['render-events', 'render-status', 'webhook-events'] as const) counts.set(topic, 4);
  await aMinuteLater();
  t.is(check.faultOf('render-events'), null, 'the topic was restored');
  t.deepEqual(await readiness.problems(), {});
});

test('a process that starts after the counts changed knows them from the deployment record', async (t) => {
  const { counts, check } = world(4);
  t.is(await check.partitionsOf('render-events'), 4);
  for (const topic of ['render-events', 'render-status', 'webhook-events'] as const) counts.set(topic, 8);
  await t.throwsAsync(check.partitionsOf('render-events'), { message: /render-events has 8 partitions instead of 4/ });
});

test('if Kafka does not answer, the known partition counts stay', async (t) => {
  const { counts, cluster, check, readiness, start, aMinuteLater } = world();
  await start();
  counts.set('render-status', 5);
  await aMinuteLater();
  cluster.away = true;
  await aMinuteLater();
  t.truthy(check.faultOf('webhook-events'));
  t.truthy((await readiness.problems()).partitions);
  await t.throwsAsync(check.partitionsOf('render-events'), { message: 'no broker answers' });
});

test('different settings are reported, and processes stay ready', async (t) => {
  const { cluster, check, readiness, metrics, start, aMinuteLater } = world();
  await start();
  t.deepEqual(readiness.states(), {});
  cluster.differences = ['render-events: retention.ms is 1000, must be -1'];
  await aMinuteLater();
  t.deepEqual(readiness.states(), { topics: 'render-events: retention.ms is 1000, must be -1' });
  t.deepEqual(await readiness.problems(), {});
  t.is(check.faultOf('render-events'), null);
  t.regex(await metrics.metrics(), /event_log_topic_differences\{kind="settings",component="test"\} 1/);
  cluster.differences = [];
  await aMinuteLater();
  t.deepEqual(readiness.states(), { topics: 'as deployed' });
});
