import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RenderEvent } from '../../domain/render/events.ts';
import { FOLD_VERSION, SEALED_SINCE } from '../../domain/render/fold.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { renderDocument } from '../../read-models/renders/renders.ts';
import { RECORDS } from '../../schemas/records.ts';
import { ROOT, requireTool, toolFolder } from '../../stack/servers/tools.ts';
import { openStackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import {
  assigned,
  cancelled,
  completed,
  erased,
  failed,
  finished,
  lost,
  poster,
  prepared,
  progressed,
  requested,
} from '../helpers/render-events.ts';
import { interleaved } from '../helpers/render-log.ts';
import { startTestStack } from '../helpers/test-stack.ts';

const TOPICS = ['render-events', 'render-status'] as const;

/** The independent reader decodes times as times, as the schemas declare; this project uses numbers. */
const asNumber = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(value) ? Date.parse(value) : value;

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

const python = async (
  env: Readonly<Record<string, string>>,
  script: string,
  topics: readonly string[],
): Promise<readonly string[]> => {
  const program = requireTool(join(toolFolder('reader'), 'bin', 'python'));
  const prefix = env.KAFKA_TOPIC_PREFIX ?? '';
  const args = [join(ROOT, 'examples', 'analysis', script), ...topics.map((topic) => `${prefix}${topic}`)];
  const { stdout } = await execa(program, args, { env, stdin: 'ignore', timeout: 120_000 });
  return stdout.split('\n');
};

const readByOutsider = async (env: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
  const lines = await python(env, 'read_log.py', TOPICS);
  return lines.map((line): unknown => {
    const record = JSON.parse(line, asNumber);
    return { ...record, topic: record.topic.slice((env.KAFKA_TOPIC_PREFIX ?? '').length) };
  });
};

/** Possible events of a render; most of them are illegal where they occur. */
const HAPPENINGS: readonly RenderEvent[] = [
  ...[prepared, prepared, assigned('att_1', 1), assigned('att_2', 2), assigned('att_1', 2), lost('att_1')],
  ...[progressed('att_1'), progressed('att_2'), finished('att_1'), finished('att_2'), completed('att_1')],
  ...[{ ...completed('att_2'), poster }, { ...completed('att_1'), outputs: [] }, failed('worker:wkr_1', 'att_2')],
  ...[failed('dispatcher:disp_1', null), failed('preparer:prep_1', null), cancelled(), cancelled('worker:wkr_1')],
  ...[erased(), requested({ name: 'Another' })],
];

/** Renders of all fold versions with events in random order; half of the time the next legal event. */
const oddLives = (count: number): readonly RenderEvent[] => {
  const random = xoroshiro128plus(7);
  const upTo = (most: number): number => uniformInt(random, 0, most);
  return Array.from({ length: count }, (_, i) => `rend_odd_${i}`).flatMap((render_id, i) => {
    const likely = [
      prepared,
      assigned('att_1', 1),
      progressed('att_1'),
      finished('att_1'),
      completed('att_1'),
      erased(),
    ];
    const events = likely.flatMap((event) => {
      const other = HAPPENINGS[upTo(HAPPENINGS.length - 1)];
      return [...(upTo(3) > 0 ? [event] : []), ...(upTo(2) === 0 && other !== undefined ? [other] : [])];
    });
    const fold_version = 1 + (i % FOLD_VERSION);
    const sealed = fold_version < SEALED_SINCE ? null : { tree: 'tree_1', leaf: i % 1_024, box: 'AAAA' };
    const first = requested({ fold_version, name_sha256: null, request: null, sealed });
    return [first, ...events].map((event, n) => ({
      ...event,
      render_id,
      meta: { ...event.meta, event_id: `${render_id}-${n}` },
    }));
  });
};

test('the independent reader of examples/analysis reads and folds the same events as the service', async (t) => {
  t.timeout(450_000);
  const folder = await mkdtemp(join(tmpdir(), 'outsider '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const stack = await startTestStack({ dataDir: folder, components: ['projectors'] });
  t.teardown(() => stack.stop());
  const { records, store, close } = await openStackClients(stack.env);
  t.teardown(close);

  const renders = Array.from({ length: 12 }, (_, i) => `rend_${i}`);
  const events = interleaved(renders);
  for (const event of events) {
    const appended = await records.append('render-events', event.render_id, event);
    if (E.isLeft(appended)) return t.fail(appended.left.message);
  }
  // The events come from three lives of four renders each, which accept 6, 9 and 2 events.
  const accepted = 4 * (6 + 9 + 2);
  await pollUntil('all accepted events are published', async () => {
    const bounds = await records.log.bounds('render-status');
    return bounds.reduce((sum, { end }) => sum + end, 0) === accepted;
  });

  const ours = (await Promise.all(TOPICS.map((topic) => readByUs(records, topic)))).flat();
  t.is(ours.length, events.length + accepted);
  t.deepEqual(await readByOutsider(stack.env), ours);

  const odd = oddLives(200);
  const last = new Map<string, number>();
  for (const event of odd) {
    const appended = await records.append('render-events', event.render_id, event);
    if (E.isLeft(appended)) return t.fail(appended.left.message);
    last.set(event.render_id, appended.right.offset);
  }
  const folded = await python(stack.env, 'fold.py', ['render-events']);
  t.is(folded.length, renders.length + last.size);
  const ends = new Set<string>();
  for (const line of folded) {
    const render = JSON.parse(line);
    const document = await pollUntil(`${render.id} is folded`, async () => {
      const found = await renderDocument(store.db, render.id);
      return found !== null && found.offset >= (last.get(render.id) ?? 0) && found;
    });
    t.deepEqual(render, document.render, render.id);
    ends.add(render.erased_at === null ? render.status : 'erased');
  }
  t.true(ends.size >= 6, [...ends].join(', '));
});
