import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { sqlText, withDuckDb } from '../../../../cli/log/duckdb.ts';
import { exportLog } from '../../../../cli/log/export/export-log.ts';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import { ROOT } from '../../../../stack/servers/tools.ts';
import type { StackClients } from '../../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { exportFaults, sqlOfExport } from '../../../helpers/export-faults.ts';
import {
  assigned,
  completed,
  erased,
  failed,
  finished,
  prepared,
  progressed,
  requested,
} from '../../../helpers/render-events.ts';
import { type Call, caller } from '../../../helpers/renderctl.ts';
import { seededStack } from './_seeded-stack.ts';

let clients: StackClients;
let env: Readonly<Record<string, string>>;
let project_id: string;
let template_id: string;
let renderctl: (...args: readonly string[]) => Promise<Call>;

/** An account without a team, so that no other test of this stack sees its records. */
const ACCOUNT = 'acc_log';
const PROJECT = 'proj_log';
const RENDERS = ['rend_log_1', 'rend_log_2', 'rend_log_3'] as const;
const [FIRST, SECOND, ERASED] = RENDERS;
const SECRET = 'For Ada Lovelace';
/** Times before, between and after the events of the first two renders. */
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
/** A request of an earlier version, with the name in the log. */
const asked = requested({
  ...{ account_id: ACCOUNT, project_id: PROJECT, name: SECRET, fold_version: 2, name_sha256: null, draft: null },
});

test.before(async (t) => {
  t.timeout(240_000);
  ({ clients, env, project_id, template_id } = await seededStack());
  renderctl = caller(env);
  const ended: number[] = [];
  for (const id of RENDERS) {
    ended.push(await append(t, id, [asked, ...TO_COMPLETE]));
    const passed = (ended.at(-1) ?? 0) + 5;
    await pollUntil('the next record has another append time', async () => Date.now() > passed);
  }
  await append(t, ERASED, [erased()]);
  times = ended;
  await pollUntil('all records are folded', async () => {
    const { stdout } = await renderctl('trace', ERASED);
    return stdout.includes('matches the log') && stdout.includes('RenderErased');
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

test.serial('the log is filtered by render, project, account and type, with record positions', async (t) => {
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
});

test.serial('the log is read between two times, and from an offset', async (t) => {
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

test.serial('no output shows the texts of older records', async (t) => {
  for (const topic of ['render-events', 'render-status', 'catalogue-events']) {
    const { stdout, exit_code } = await renderctl('log', 'read', '--topic', topic);
    t.is(exit_code, 0);
    t.true(stdout.length > 1_000);
    t.false(stdout.includes(SECRET), topic);
  }
});

test.serial('unreadable records are reported with their positions', async (t) => {
  const key = 'rend_log_poison';
  await clients.records.log.append({ topic: 'worker-heartbeats', key, value: Buffer.from('no Avro') });
  const found = await read(t, '--topic', 'worker-heartbeats', '--render', key);
  t.is(found.length, 1);
  t.like(found[0], { key, type: null, poison: 'not in the Confluent wire format' });
});

test.serial('log tail shows the last records, then new ones until Ctrl-C', async (t) => {
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
  await pollUntil('the last record is shown', async () => told.includes('RenderCompleted'));
  await append(t, FIRST, [completed('att_1')]);
  await pollUntil('new records are shown', async () => told.split('RenderCompleted').length === 3);
  stopping.abort();
  t.is((await following).exit_code, 130);
});

const sql = (folder: string, statement: string) => sqlOfExport(renderctl, folder, statement);

const isWhole = async (t: ExecutionContext, folder: string): Promise<void> => {
  t.deepEqual(await exportFaults(renderctl, clients.records.log, folder), []);
};

const newFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'export '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test.serial('a log export has types but no texts, and a repeat adds newer records', async (t) => {
  const folder = await newFolder(t);
  const first = await renderctl('log', 'export', '--parquet', folder);
  t.is(first.exit_code, 0, first.stderr);
  t.regex(first.stdout, /^\d+ records were added; .* in \d+ files\.\n$/);
  await isWhole(t, folder);
  const lives = await sql(
    folder,
    `select r.render_id, r.name, r.reserved_credits, typeof(r.meta.occurred_at) as type, len(c.outputs) as outputs,
       date_diff('ms', r.log_time, c.log_time) >= 0 as in_order
     from RenderRequested r join RenderCompleted c using (render_id) where r.account_id = '${ACCOUNT}'
     group by all order by 1`,
  );
  t.deepEqual(
    lives,
    RENDERS.map((render_id) => ({
      ...{ render_id, name: '', reserved_credits: asked.reserved_credits, type: 'TIMESTAMP WITH TIME ZONE' },
      ...{ outputs: completed('att_1').outputs.length, in_order: true },
    })),
  );
  t.deepEqual(
    await sql(folder, `select status, count(*) n from renders where account_id = '${ACCOUNT}' group by all`),
    [{ status: 'complete', n: 3 }],
  );
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  t.false(files.some(({ name }) => name.includes('partial')));
  for (const file of files.filter((one) => one.isFile()))
    t.false((await readFile(join(file.parentPath, file.name))).includes(SECRET), file.name);

  await append(t, SECOND, [completed('att_1')]);
  const again = JSON.parse((await renderctl('log', 'export', '--parquet', folder, '--json')).stdout);
  t.true(again.records >= 1 && again.records < 10, JSON.stringify(again));
  await isWhole(t, folder);
});

test.serial('an interrupted export continues without gaps or repeats', async (t) => {
  const folder = await newFolder(t);
  const selection = { topics: ['render-events', 'render-status', 'catalogue-events', 'webhook-events'] } as const;
  const { records } = clients;
  const parts = { records, folder, selection, stop: new AbortController().signal, batch: 9 };
  let cuts = 0;
  // The process ends after one, two, three, … further batches.
  for (let whole = false; !whole && cuts < 100; cuts += 1) {
    let batches = 0;
    whole = await exportLog({
      ...parts,
      on_progress: () => {
        batches += 1;
        if (batches > cuts) throw new Error('killed');
      },
    }).then(E.isRight, () => false);
  }
  t.true(cuts > 3 && cuts < 100, `${cuts}`);
  await isWhole(t, folder);

  // The process ends while it moves files: half of them are in place.
  const before = await newFolder(t);
  await cp(folder, before, { recursive: true });
  await append(t, FIRST, [progressed('att_1'), finished('att_1'), completed('att_1')]);
  const done = await exportLog({ ...parts, on_progress: () => undefined });
  t.true(E.isRight(done));
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const partial = join(before, '.partial');
  for (const [i, name] of Object.keys(manifest.files).entries()) {
    const to = join(i % 2 === 0 ? before : partial, name);
    await mkdir(dirname(to), { recursive: true });
    await cp(join(folder, name), to);
  }
  await cp(join(folder, 'manifest.json'), join(partial, 'manifest.json'));
  await exportLog({ ...parts, folder: before, on_progress: () => undefined });
  await isWhole(t, before);
});

test.serial('the analysis examples give answers and count repeats once', async (t) => {
  const folder = await newFolder(t);
  await renderctl('log', 'export', '--parquet', folder);
  const answer = async (name: string): Promise<readonly Line[]> => {
    const file = join(ROOT, 'examples', 'analysis', `${name}.sql`);
    const call = await renderctl('log', 'sql', '--file', file, '--export', folder, '--json');
    t.is(call.exit_code, 0, call.stderr);
    return JSON.parse(call.stdout);
  };
  const [{ renders } = {}] = await sql(folder, 'select count(*) renders from renders');
  t.like((await answer('funnel'))[0], { status: 'initializing', renders });
  const [first] = await answer('waits');
  t.like(first, { status: 'initializing' });
  t.true(Number(first?.half) >= 0 && Number(first?.half) <= Number(first?.longest));
  t.true(Array.isArray(await answer('failures')));
  const cost = (await answer('cost')).find(({ account_id }) => account_id === ACCOUNT);
  t.like(cost, { account: ACCOUNT, renders: RENDERS.length, credits: RENDERS.length * prepared.price_credits });
  const worker = (await answer('workers')).find(({ worker_id }) => worker_id === 'wkr_1');
  t.true(Number(worker?.attempts) >= RENDERS.length && Number(worker?.busy_seconds) >= 0, JSON.stringify(worker));
  const [cache] = await answer('cache');
  t.is(cache?.share, 0.4);
  const [wait] = await answer('first-byte');
  t.true(Number(wait?.renders) >= RENDERS.length && Number(wait?.half) >= Number(wait?.half_to_frames));
});

test.serial('CSV has no formulas, quotes separators of all locales and keeps numbers', async (t) => {
  const statement = `select '=1+1' as "@a", 'x;y' as b, -5 as c, (-9007199254740993)::bigint as d, -1.5 as e, true as f`;
  const { stdout } = await renderctl('log', 'sql', statement, '--from', '2019-01-01', '--to', '2020-01-01', '--csv');
  t.is(stdout, `'@a,b,c,d,e,f\n'=1+1,"x;y",-5,-9007199254740993,-1.5,true\n`);
});

test.serial('SQL counts accepted events, each once', async (t) => {
  const folder = await newFolder(t);
  await append(t, FIRST, [asked]);
  await pollUntil('the repeat is folded', async () => (await renderctl('trace', FIRST)).stdout.includes('ignored'));
  await renderctl('log', 'export', '--parquet', folder);
  const credits = (table: string) =>
    sql(folder, `select sum(reserved_credits)::bigint as credits from ${table} where account_id = '${ACCOUNT}'`);
  t.deepEqual(await credits('RenderRequested'), [{ credits: 4 * asked.reserved_credits }]);
  t.deepEqual(await credits('accepted.RenderRequested'), [{ credits: 3 * asked.reserved_credits }]);
  t.deepEqual(
    await sql(folder, `select render_id, id, draft from renders where account_id = '${ACCOUNT}' order by 1`),
    RENDERS.map((id) => ({ render_id: id, id, draft: false })),
  );
  t.deepEqual(
    await sql(
      folder,
      `select worker_id, outcome, frames, frames_cached, ended_at >= assigned_at as in_order
       from attempts where render_id = '${FIRST}'`,
    ),
    [{ worker_id: 'wkr_1', outcome: 'complete', frames: 300, frames_cached: 120, in_order: true }],
  );
});

test.serial('SQL lists no table that an export omits', async (t) => {
  const folder = await newFolder(t);
  await renderctl('log', 'export', '--parquet', folder, '--topic', 'catalogue-events');
  const listed = await sql(folder, 'select distinct view_name as name from duckdb_views where not internal');
  const names = listed.map(({ name }) => name);
  t.true(names.includes('RenderCompleted') && names.includes('attempts'), names.join());
  for (const name of ['StartAttempt', 'StopAttempt', 'WorkerBeat', 'DispatcherBeat'])
    t.false(names.includes(name), name);
});

test.serial("export files of an older renderctl get today's columns with their defaults", async (t) => {
  const folder = await newFolder(t);
  await renderctl('log', 'export', '--parquet', folder);
  const makeOld = async (table: string, columns: string): Promise<readonly string[]> => {
    const files = (await readdir(join(folder, table))).map((name) => join(folder, table, name));
    for (const file of files)
      await withDuckDb(join(folder, 'spill'), async (connection) => {
        await connection.run(`create table rows as select ${columns} from read_parquet(${sqlText(file)})`);
        await connection.run(`copy rows to ${sqlText(file)} (format parquet)`);
      });
    return files;
  };
  const finishes = 'select * exclude (frames_cached) from RenderingFinished order by log_partition, log_offset';
  const facts = 'select * from RenderFactAccepted order by log_partition, log_offset';
  const [finishes_before, facts_before] = [await sql(folder, finishes), await sql(folder, facts)];
  await makeOld('RenderingFinished', '* exclude (frames_cached)');
  const members = ['id', 'status', 'attempts', 'account_id'].map((name) => `'${name}': render.${name}`);
  const [file = ''] = await makeOld('RenderFactAccepted', `* replace ({${members.join(', ')}} as render)`);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, columns: undefined }));

  await renderctl('log', 'export', '--parquet', folder);
  await isWhole(t, folder);
  t.deepEqual(await sql(folder, finishes), finishes_before);
  t.deepEqual(await sql(folder, 'select distinct frames_cached from RenderingFinished'), [{ frames_cached: null }]);
  const facts_after = await sql(folder, facts);
  t.is(facts_after.length, facts_before.length);
  for (const [i, row] of facts_after.entries()) {
    t.deepEqual({ ...row, render: null }, { ...facts_before[i], render: null });
    t.like(row.render, { name: '', outputs: [], failure: null });
  }
  const described = `select column_type from (describe select * from read_parquet(${sqlText(file)}))`;
  t.true(JSON.stringify(await sql(folder, described)).includes('erased_at'));
});

test.serial('SQL without an export reads only part of the log', async (t) => {
  const call = await renderctl('log', 'sql', 'select count(*) n from RenderErased', '--from', '1h', '--json');
  t.is(call.exit_code, 0, call.stderr);
  t.deepEqual(JSON.parse(call.stdout), [{ n: 1 }]);
  const table = await renderctl(
    'log',
    'sql',
    `select render_id as id, fold_version as v from accepted.RenderRequested where account_id = '${ACCOUNT}' order by 1`,
  );
  t.is(table.stdout, `id          v\n${RENDERS.map((id) => `${id}  2\n`).join('')}`);
  const none = await renderctl(
    'log',
    'sql',
    'select 1 as a, null as b',
    '--to',
    '2020-01-01',
    '--from',
    '2019-01-01',
    '--csv',
  );
  t.is(none.stdout, 'a,b\n1,\n');
  for (const statement of [
    "select * from read_text('/etc/hostname')",
    'install httpfs',
    "select * from read_csv('https://example.com/a.csv')",
    "attach '/tmp/other.db'",
  ]) {
    const refused = await renderctl('log', 'sql', statement, '--topic', 'catalogue-events');
    t.is(refused.exit_code, 1, statement);
    t.regex(refused.stderr, /Permission Error/, statement);
  }
});

test.serial('a render is shown as the service answered at that time, unless erased', async (t) => {
  const order = ['--name', 'First', '--project', project_id, '--template', template_id, '--value', 'headline=Hello'];
  const created = await renderctl('render', 'create', ...order, '--json');
  t.is(created.exit_code, 0, created.stderr);
  const { id, created_at } = JSON.parse(created.stdout);
  const answers: { readonly at: number; readonly answer: Record<string, unknown> }[] = [
    { at: created_at, answer: JSON.parse(created.stdout) },
  ];
  for (const event of [prepared, assigned('att_1', 1), failed('worker:wkr_1', 'att_1')]) {
    const last = answers.at(-1)?.at ?? 0;
    await pollUntil('the next record has another append time', async () => Date.now() > last + 5);
    const at = await append(t, id, [event]);
    const before = answers.at(-1)?.answer.status;
    const answer = await pollUntil('the record is folded', async () => {
      const found = JSON.parse((await renderctl('render', 'get', id, '--json')).stdout);
      return found.status !== before && found;
    });
    answers.push({ at, answer });
  }
  const asOf = (at: number) => renderctl('render', 'get', id, '--as-of', new Date(at).toISOString(), '--json');
  for (const [i, { at, answer }] of answers.entries()) {
    t.deepEqual(JSON.parse((await asOf(at)).stdout), { ...answer, as_of: at });
    const before = await asOf(at - 1);
    if (i > 0) t.deepEqual(JSON.parse(before.stdout), { ...answers[i - 1]?.answer, as_of: at - 1 });
    else t.regex(before.stderr, /there is no render/);
  }
  t.is(answers.at(-1)?.answer.status, 'failed');
  const told = await renderctl('render', 'get', id, '--as-of', new Date().toISOString());
  t.regex(told.stdout, /failed in .*\n\nAs of \d{4}-.*Z\.\n$/s);

  const erasedThen = await renderctl('render', 'get', ERASED, '--as-of', new Date(times[2] ?? 0).toISOString());
  t.is(erasedThen.exit_code, 1);
  t.regex(erasedThen.stderr, /there is no render/);
});
