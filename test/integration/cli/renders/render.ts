import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import type { WebhookEvent } from '../../../../domain/webhooks/delivery-events.ts';
import { openBlobStore } from '../../../../platform/blob-store/azure-blob-store.ts';
import { decodeConfiguration } from '../../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../../platform/configuration/parts.ts';
import { renderCollections } from '../../../../read-models/collections.ts';
import type { RenderDocument } from '../../../../read-models/renders/documents.ts';
import type { Stack } from '../../../../stack/launcher.ts';
import type { StackClients } from '../../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import {
  assigned,
  completed,
  failed,
  finished,
  lost,
  master,
  metaBy,
  prepared,
  progressed,
} from '../../../helpers/render-events.ts';
import { type Call, caller } from '../../../helpers/renderctl.ts';
import { seededStack } from './_seeded-stack.ts';

let stack: Stack;
let clients: StackClients;
let project_id: string;
let template_id: string;
let api_key: string;
let env: Readonly<Record<string, string>>;
let renderctl: (...args: readonly string[]) => Promise<Call>;

test.before(async (t) => {
  t.timeout(240_000);
  ({ stack, clients, env, project_id, template_id, api_key } = await seededStack());
  renderctl = caller(env);
});

const created = async (t: ExecutionContext): Promise<string> => {
  const order = ['render', 'create', '--name', 'First', '--project', project_id, '--template', template_id];
  const { exit_code, stdout, stderr } = await renderctl(...order, '--value', 'headline=Hello', '--json');
  t.is(exit_code, 0, stderr);
  const render = JSON.parse(stdout);
  t.is(render.status, 'initializing');
  return render.id;
};

const append = async (t: ExecutionContext, render_id: string, events: readonly RenderEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
    t.true(E.isRight(appended));
  }
};

const TO_COMPLETE = [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];

test.serial('several renders are cancelled at once, and finished renders are named', async (t) => {
  const [one, other, done] = [await created(t), await created(t), await created(t)];
  await append(t, done, TO_COMPLETE);
  await pollUntil('the render is complete', async () =>
    (await renderctl('render', 'get', done)).stdout.includes(' complete '),
  );
  const refused = await renderctl('render', 'cancel', done, '--json');
  t.is(refused.exit_code, 1);
  t.is(JSON.parse(refused.stderr).error, `render ${done} is already complete`);

  const some = await renderctl('render', 'cancel', one, done);
  t.deepEqual([some.exit_code, some.stdout], [1, '']);
  t.is(some.stderr, `renderctl: 1 cancelled, 1 not cancelled\n  ${done}: render ${done} is already complete\n`);
  const again = await renderctl('render', 'cancel', one, other, one, '--json');
  t.is(again.exit_code, 0, again.stderr);
  const { data } = JSON.parse(again.stdout);
  t.deepEqual(
    data.map(({ id, status, failure }: Record<string, unknown>) => [id, status, Object(failure).code]),
    [one, other].map((id) => [id, 'failed', 'cancelled']),
  );
  const shown = await renderctl('render', 'cancel', other);
  t.regex(shown.stdout, /failed .*the render was cancelled \(cancelled\)/);
  const traced = await renderctl('trace', other);
  t.is(traced.exit_code, 0, traced.stderr);
  t.regex(traced.stdout, /RenderFailed .*key:/);
});

test.serial('a render is watched through all its statuses and traced', async (t) => {
  const id = await created(t);
  const watching = renderctl('render', 'watch', id, '--json');
  await append(t, id, TO_COMPLETE);
  const { exit_code, stdout, stderr } = await watching;
  t.is(exit_code, 0, stderr);
  const statuses = stderr
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1]);
  t.deepEqual(statuses, ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete']);
  t.truthy(JSON.parse(stdout).output.master);

  await append(t, id, [completed('att_1')]);
  const trace = await pollUntil('the read model has the last event', async () => {
    const call = await renderctl('trace', id);
    return call.stdout.includes('matches the log') && call;
  });
  t.is(trace.exit_code, 0);
  t.regex(trace.stdout, /RenderCompleted +accepted +-> complete +worker:wkr_1 +att_1/);
  t.regex(trace.stdout, /RenderCompleted +ignored: already_final +complete/);

  const { facts, render, read_model } = JSON.parse((await renderctl('trace', id, '--json')).stdout);
  t.is(facts.length, 7);
  t.is(render.status, 'complete');
  t.deepEqual(read_model, { tag: 'agrees' });
});

test.serial('a trace shows attempts, times, causes and deliveries as table, JSON and picture', async (t) => {
  const id = await created(t);
  const lives = [prepared, assigned('att_1', 1), progressed('att_1'), lost('att_1'), assigned('att_2', 2)];
  await append(t, id, [...lives, progressed('att_2'), finished('att_2'), completed('att_2')]);
  const about = { delivery_id: 'hook_1', endpoint_id: 'whe_1', render_id: id };
  const [first] = JSON.parse((await renderctl('trace', id, '--json')).stdout).facts;
  const caused = { ...metaBy('relay:rly_1'), causation_id: `${first.event_id}/accepted` };
  const events: readonly WebhookEvent[] = [
    {
      ...{ ...about, type: 'DeliveryPlanned', meta: caused, team_id: 'team_1', seq: 1, event: 'render.complete' },
      ...{ status_offset: 0, repeats: null },
    },
    {
      ...{ ...about, type: 'DeliveryAttempted', meta: metaBy('relay:rly_1'), n: 1, started_at: Date.now() },
      ...{ duration_ms: 40, body_sha256: 'aa', succeeded: false, status: 503, fault: 'status' },
    },
  ];
  for (const event of events) t.true(E.isRight(await clients.records.append('webhook-events', id, event)));

  const folder = await mkdtemp(join(tmpdir(), 'traces '));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'render.svg');
  const { exit_code, stdout, stderr } = await renderctl('trace', id, '--svg', file);
  t.is(exit_code, 0, stderr);
  t.regex(stdout, /Time in each status: initializing .*, complete\./);
  t.regex(stdout, /\n1 +wkr_1 .* lost: crashed\n2 +wkr_1 .* complete\n/);
  t.regex(stdout, /DeliveryAttempted +accepted +hook_1 +whe_1 +relay:rly_1 .*attempt 1: 503 status, 40 ms/);
  const svg = await readFile(file, 'utf8');
  t.regex(svg, /^<svg xmlns/);
  for (const part of [id, 'AttemptLost', 'att_2: complete', 'whe_1', '503 status']) t.true(svg.includes(part), part);

  const traced = JSON.parse((await renderctl('trace', id, '--json')).stdout);
  t.like(traced, { id, kind: 'render', statuses: { length: 6 }, attempts: { length: 2, 0: { outcome: 'lost' } } });
  const { partition, offset } = first;
  t.deepEqual(traced.delivery_events[0].cause, { topic: 'render-events', partition, offset });
  t.like(traced.deliveries, { length: 1, 0: { stage: 'pending', attempts: { length: 1, 0: { status: 503 } } } });
  t.regex(
    (await renderctl('trace', id, '--svg', join(folder, 'no', 'where.svg'))).stderr,
    /where\.svg cannot be written/,
  );

  const key = String(first.actor).replace('key:', '');
  const { renders, ...of_key } = JSON.parse((await renderctl('trace', key, '--json')).stdout);
  t.like(of_key, {
    id: key,
    kind: 'key',
    status: 'in force',
    events: { 0: { type: 'ApiKeyIssued', relation: 'about' } },
  });
  t.true(renders.newest.some(({ render_id }: { render_id: string }) => render_id === id));
});

test.serial('watching a render ends with its failure', async (t) => {
  const id = await created(t);
  const watching = renderctl('render', 'watch', id);
  await append(t, id, [failed('preparer:prep_1', null)]);
  const { exit_code, stderr } = await watching;
  t.is(exit_code, 1);
  t.regex(stderr, new RegExp(`${id} failed: .*there is no such font; see every step with "renderctl trace ${id}"`));

  const why = /failed in rendering: layers\[2\]\.font_family: there is no such font \(font_unknown\)/;
  t.regex((await renderctl('render', 'get', id)).stdout, why);
  t.regex((await renderctl('trace', id)).stdout, why);
  const list = ['render', 'list', '--project', project_id];
  t.regex((await renderctl(...list)).stdout, new RegExp(`^${id} .* failed +\\S+Z +layers.*there is no such font`, 'm'));
  const { data } = JSON.parse((await renderctl(...list, '--status', 'failed', '--json')).stdout);
  t.like(
    data.find((one: { id: string }) => one.id === id),
    { id, status: 'failed', failure: { stage: 'rendering', code: 'font_unknown' } },
  );
  t.regex((await renderctl('render', 'download', id)).stderr, new RegExp(`^renderctl: ${id} failed: .*no such font`));
});

test.serial('a running render reports its progress, in a terminal and in a pipe', async (t) => {
  const id = await created(t);
  await append(t, id, [prepared, assigned('att_1', 1), { ...progressed('att_1'), frames_done: 126 }]);
  const get = await pollUntil('the render is processing', async () => {
    const call = await renderctl('render', 'get', id);
    return call.stdout.includes('processing') && call;
  });
  t.regex(get.stdout, new RegExp(`^${id} +First +processing 42 % `, 'm'));
  t.is(JSON.parse((await renderctl('render', 'get', id, '--json')).stdout).progress, 0.42);
  t.regex(
    (await renderctl('trace', id)).stdout,
    /RenderProgressed .* 126 of 300 frames\n\nProcessing: 42 % is done\.\n/,
  );
  t.regex((await renderctl('render', 'list', '--project', project_id)).stdout, /processing 42 %/);
  t.regex(
    (await renderctl('render', 'download', id)).stderr,
    new RegExp(
      `^renderctl: ${id} is not complete \\(processing \\(42 %\\)\\); wait with "renderctl render watch ${id}"`,
    ),
  );
  const watching = renderctl('render', 'watch', id);
  await append(t, id, TO_COMPLETE.slice(-2));
  const { exit_code, stderr } = await watching;
  t.is(exit_code, 0, stderr);
  t.is(
    stderr.match(/ {2}processing 42 %$/gm)?.length ?? 0,
    stderr.includes('%') ? 1 : 0,
    'once, if renderctl saw it at all',
  );
});

test.serial('the video of a complete render is saved, overwriting only with an option', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'videos '));
  t.teardown(() => rm(folder, { recursive: true }));
  const id = await created(t);
  await append(t, id, TO_COMPLETE);
  const settings = decodeConfiguration(env, { blobs: BLOB_STORE });
  if (E.isLeft(settings)) return t.fail(settings.left.join());
  const bytes = Buffer.alloc(3_000_000, id);
  await writeFile(join(folder, 'made.mp4'), bytes);
  await openBlobStore(settings.right.blobs).upload(master.path, join(folder, 'made.mp4'), {
    content_type: 'video/mp4',
  });
  await pollUntil('the render is complete', async () =>
    (await renderctl('render', 'get', id)).stdout.includes('complete'),
  );

  const saved = await renderctl('render', 'download', id, '-o', folder);
  t.is(saved.exit_code, 0, saved.stderr);
  t.is(saved.stdout, `${join(folder, `${id}.mp4`)}: 3.0 MB\n`);
  t.true(bytes.equals(await readFile(join(folder, `${id}.mp4`))));

  const file = join(folder, 'card.mp4');
  await writeFile(file, 'of before');
  const refused = await renderctl('render', 'download', id, '-o', file);
  t.is(refused.exit_code, 2);
  t.regex(refused.stderr, /card\.mp4 already exists; use --force to overwrite it/);
  t.is(await readFile(file, 'utf8'), 'of before');
  const forced = await renderctl('render', 'download', id, '-o', file, '--force', '--json');
  t.deepEqual(JSON.parse(forced.stdout), { render_id: id, variant: 'master', file, size_bytes: bytes.length });
  t.deepEqual((await readdir(folder)).toSorted(), ['card.mp4', 'made.mp4', `${id}.mp4`].toSorted());

  const told = async (...args: readonly string[]) => (await renderctl('render', 'download', ...args)).stderr;
  t.regex(
    await told(id, '-o', join(folder, 'nowhere', 'a.mp4')),
    /a\.mp4 cannot be written: the folder does not exist/,
  );
  t.regex(await told(id, '--variant', 'mastr'), /has no variant "mastr"; it has master; did you mean "master"\?/);
  t.regex(await told('rend_x'), /^renderctl: there is no such render/);
  t.regex(await told(id, '-o', '/dev/null', '--force'), /\/dev\/null exists and is not a file/);
});

test.serial('Ctrl-C stops the watching but not the render', async (t) => {
  const id = await created(t);
  const stopping = new AbortController();
  const service = { RENDERCTL_BASE_URL: stack.base_url, RENDERCTL_API_KEY: api_key };
  const watching = caller(service, stopping.signal)('render', 'watch', id);
  await pollUntil('the watching has started', async () => (await renderctl('render', 'get', id)).exit_code === 0);
  stopping.abort();
  t.is((await watching).exit_code, 130);
  t.regex((await renderctl('render', 'get', id)).stdout, /initializing/);
});

test.serial('a modified read model is detected', async (t) => {
  const id = await created(t);
  const renders = clients.store.db.collection<RenderDocument>(renderCollections(1).renders);
  await pollUntil('the read model has the event', () => renders.findOne({ _id: id }));
  await renders.updateOne({ _id: id }, { $set: { 'render.project_version': 9, name: 'Another' } });
  const { exit_code, stdout, stderr } = await renderctl('trace', id);
  t.is(exit_code, 1);
  t.regex(stdout, /RenderRequested +accepted/);
  t.regex(
    stderr,
    new RegExp(
      `the read model of ${id} differs from the log\n  the state of the render differs\n  its name differs from the (?:hash|sealed name) in the log`,
    ),
  );
});

test.serial('refusals of the service are shown unchanged', async (t) => {
  const order = ['render', 'create', '--name', 'First', '--project'];
  const told = async (...args: readonly string[]): Promise<string> => {
    const { exit_code, stderr } = await renderctl(...args);
    t.is(exit_code, 1);
    return stderr;
  };
  t.regex(await told(...order, 'proj_x'), /^renderctl: .*project/);
  t.regex(await told(...order, project_id, '--template', 'tpl_x'), /^renderctl: .*template/);
  t.regex(await told(...order, project_id, '--value', 'a=b'), /^renderctl: values: requires a template_id/);
  t.regex(await told(...order, project_id, '--template', template_id, '--value', 'accent=red'), /values\.accent/);
  t.regex(await told('render', 'get', 'rend_x'), /^renderctl: there is no such render/);
  t.regex(await told('render', 'watch', 'rend_x'), /^renderctl: there is no such render/);
  t.regex(await told('trace', 'rend_x'), /^renderctl: there is no render rend_x/);

  const stranger = caller({ RENDERCTL_BASE_URL: stack.base_url, RENDERCTL_API_KEY: 'vr_wrong' });
  const { exit_code, stderr } = await stranger('render', 'get', 'rend_x');
  t.is(exit_code, 1);
  t.regex(stderr, /set RENDERCTL_API_KEY to a valid key/);
});
