import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import type { StackClients } from '../../../../stack/testing/stack-clients.ts';
import { until } from '../../../../stack/testing/until.ts';
import {
  assigned,
  completed,
  erased,
  finished,
  prepared,
  progressed,
  requested,
} from '../../../helpers/render-events.ts';
import { type Call, caller } from '../../../helpers/renderctl.ts';
import { seededStack } from './_seeded-stack.ts';

let clients: StackClients;
let env: Readonly<Record<string, string>>;
let renderctl: (...args: readonly string[]) => Promise<Call>;

/** Of no team that is there: nobody else in this stack sees them. */
const ACCOUNT = 'acc_log';
const PROJECT = 'proj_log';
const RENDERS = ['rend_log_1', 'rend_log_2', 'rend_log_3'] as const;
const [FIRST, SECOND, ERASED] = RENDERS;
const SECRET = 'For Ada Lovelace';
/** Before, between and behind the events of the first two renders. */
let times: readonly number[] = [];

const append = async (t: ExecutionContext, render_id: string, events: readonly RenderEvent[]): Promise<number> => {
  let at = 0;
  for (const event of events) {
    const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
    at = appended.right.append_time_ms;
  }
  t.true(at > 0);
  return at;
};

const TO_COMPLETE = [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];
/** As a version from before wrote it: the name is in the log. */
const asked = requested({
  ...{ account_id: ACCOUNT, project_id: PROJECT, name: SECRET, fold_version: 2, name_sha256: null },
});

test.before(async (t) => {
  t.timeout(120_000);
  ({ clients, env } = await seededStack());
  renderctl = caller(env);
  const ended: number[] = [];
  for (const id of RENDERS) {
    ended.push(await append(t, id, [asked, ...TO_COMPLETE]));
    const passed = (ended.at(-1) ?? 0) + 5;
    await until('the next has another append time', async () => Date.now() > passed);
  }
  await append(t, ERASED, [erased()]);
  times = ended;
  await until('all are folded', async () => {
    const { stdout } = await renderctl('trace', ERASED);
    return stdout.includes('agrees with the log') && stdout.includes('RenderErased');
  });
});

type Line = { readonly [name: string]: unknown };

const linesOf = (t: ExecutionContext, { exit_code, stdout, stderr }: Call): readonly Line[] => {
  t.is(exit_code, 0, stderr);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
};

const read = async (t: ExecutionContext, ...args: readonly string[]): Promise<readonly Line[]> =>
  linesOf(t, await renderctl('log', 'read', ...args));

const LIFE = ['RenderRequested', ...TO_COMPLETE.map(({ type }) => type)];

test.serial(
  'the log is read by render, project, account and type, and says of each record where it stands',
  async (t) => {
    const [first, ...others] = await read(t, '--render', FIRST);
    t.like(first, { topic: 'render-events', key: FIRST, type: 'RenderRequested', record: { account_id: ACCOUNT } });
    t.is(typeof first?.offset, 'number');
    t.regex(String(first?.time), /^\d{4}-\d\d-\d\dT.*Z$/);
    t.deepEqual(
      others.map(({ type }) => type),
      LIFE.slice(1),
    );
    const count = 3 * LIFE.length + 1;
    t.is((await read(t, '--project', PROJECT)).length, count);
    t.is((await read(t, '--account', ACCOUNT, '--project', PROJECT)).length, count);
    t.is((await read(t, '--account', ACCOUNT, '--project', 'proj_other')).length, 0);
    const completions = await read(t, '--account', ACCOUNT, '--type', 'RenderCompleted', '--type', 'RenderErased');
    t.deepEqual(
      completions.map(({ key, type }) => [key, type]),
      [...RENDERS.map((id) => [id, 'RenderCompleted']), [ERASED, 'RenderErased']],
      'in the order of their append times, whatever their partitions',
    );
    t.is((await read(t, '--topic', 'render-status', '--project', PROJECT)).length, count);
    t.is((await read(t, '--account', ACCOUNT, '--limit', '2')).length, 2);
  },
);

test.serial('the log is read between two times, and from an offset on', async (t) => {
  const at = (i: number): string => new Date((times[i] ?? 0) + 1).toISOString();
  const between = await read(t, '--project', PROJECT, '--from', at(0), '--to', at(1));
  t.deepEqual(
    between.map(({ key, type }) => [key, type]),
    LIFE.map((type) => [SECOND, type]),
  );
  t.is((await read(t, '--project', PROJECT, '--to', '2020-01-01')).length, 0);

  const [place] = between;
  const here = ['--topic', 'render-events', '--partition', String(place?.partition), '--offset', String(place?.offset)];
  t.deepEqual(await read(t, ...here, '--limit', '1'), between.slice(0, 1));
  t.regex((await renderctl('log', 'read', '--offset', '5')).stderr, /--offset needs one --topic and its --partition/);
  t.regex((await renderctl('log', 'read', '--partition', '99')).stderr, /there is no partition 99/);
});

test.serial('texts that older records have are in none of it', async (t) => {
  for (const topic of ['render-events', 'render-status', 'catalogue-events']) {
    const { stdout, exit_code } = await renderctl('log', 'read', '--topic', topic);
    t.is(exit_code, 0);
    t.true(stdout.length > 1_000);
    t.false(stdout.includes(SECRET), topic);
  }
});

test.serial('what cannot be read is told as such, with its place', async (t) => {
  const key = 'rend_log_poison';
  await clients.records.log.append({ topic: 'worker-heartbeats', key, value: Buffer.from('no Avro') });
  const found = await read(t, '--topic', 'worker-heartbeats', '--render', key);
  t.is(found.length, 1);
  t.like(found[0], { key, type: null, poison: 'not in the Confluent wire format' });
});

test.serial('the last records are shown, and what comes, until Ctrl-C', async (t) => {
  const last = linesOf(t, await renderctl('log', 'tail', '--project', PROJECT, '-n', '3'));
  t.deepEqual(
    last.map(({ type }) => type),
    ['RenderingFinished', 'RenderCompleted', 'RenderErased'],
  );
  const stopping = new AbortController();
  let told = '';
  const following = caller(env, stopping.signal, (text) => {
    told += text;
  })('log', 'tail', '--lines', '1', '--follow', '--render', FIRST);
  await until('the last one is shown', async () => told.includes('RenderCompleted'));
  await append(t, FIRST, [completed('att_1')]);
  await until('what comes is shown', async () => told.split('RenderCompleted').length === 3);
  stopping.abort();
  t.is((await following).exit_code, 130);
});
