import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { RECORDS } from '../../schemas/records.ts';
import { ROOT, requireTool, toolFolder } from '../../stack/servers/tools.ts';
import { openStackClients } from '../../stack/testing/stack-clients.ts';
import { until } from '../../stack/testing/until.ts';
import { interleaved } from '../helpers/render-log.ts';
import { startTestStack } from '../helpers/test-stack.ts';

const TOPICS = ['render-events', 'render-status'] as const;

/** Times are times to it, as the schemas say so; to us they are numbers. */
const asNumber = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(value) ? Date.parse(value) : value;

/** A topic as our own reader sees it, in the form in which the outsider prints it. */
const readByUs = async ({ log, decode }: RecordLog, topic: string): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (const { partition, start, end } of await log.bounds(topic)) {
    for await (const { offset, append_time_ms, key, value } of log.replay(topic, partition, start, end)) {
      const decoded = await decode(value);
      if (decoded.tag !== 'record') throw new Error(`${topic}/${partition}/${offset} is ${decoded.tag}`);
      const { type, ...record } = decoded.record;
      const name = RECORDS.find((definition) => definition.type === type)?.full_name;
      found.push({ topic, partition, offset, append_time_ms, key: key?.toString(), name, record });
    }
  }
  return JSON.parse(JSON.stringify(found));
};

const readByOutsider = async (env: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
  const python = requireTool(join(toolFolder('reader'), 'bin', 'python'));
  const script = join(ROOT, 'examples', 'analysis', 'read_log.py');
  const prefix = env.KAFKA_TOPIC_PREFIX ?? '';
  const topics = TOPICS.map((topic) => `${prefix}${topic}`);
  const { stdout } = await execa(python, [script, ...topics], { env, stdin: 'ignore', timeout: 120_000 });
  return stdout.split('\n').map((line): unknown => {
    const record = JSON.parse(line, asNumber);
    return { ...record, topic: record.topic.slice(prefix.length) };
  });
};

test('the reader of examples/analysis, which shares no code with us, reads the same events, and the same that were accepted', async (t) => {
  t.timeout(300_000);
  const folder = await mkdtemp(join(tmpdir(), 'outsider '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const stack = await startTestStack({ dataDir: folder, components: ['projectors'] });
  t.teardown(() => stack.stop());
  const { records, close } = await openStackClients(stack.env);
  t.teardown(close);

  const renders = Array.from({ length: 12 }, (_, i) => `rend_${i}`);
  const events = interleaved(renders);
  for (const event of events) {
    const appended = await records.append('render-events', event.render_id, event);
    if (E.isLeft(appended)) return t.fail(appended.left.message);
  }
  // Of the three lives that the events are made of, four renders each: 6, 9 and 2 events are accepted.
  const accepted = 4 * (6 + 9 + 2);
  await until('all that was accepted is published', async () => {
    const bounds = await records.log.bounds('render-status');
    return bounds.reduce((sum, { end }) => sum + end, 0) === accepted;
  });

  const ours = (await Promise.all(TOPICS.map((topic) => readByUs(records, topic)))).flat();
  t.is(ours.length, events.length + accepted);
  t.deepEqual(await readByOutsider(stack.env), ours);
});
