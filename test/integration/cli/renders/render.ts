import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import { renderCollections } from '../../../../read-models/collections.ts';
import type { RenderDocument } from '../../../../read-models/renders/documents.ts';
import type { Stack } from '../../../../stack/launcher.ts';
import type { StackClients } from '../../../../stack/testing/stack-clients.ts';
import { until } from '../../../../stack/testing/until.ts';
import { assigned, completed, failed, finished, prepared, progressed } from '../../../helpers/render-events.ts';
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
  t.timeout(120_000);
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

test.serial('a render is watched through all of its statuses, and traced', async (t) => {
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
  const trace = await until('the read model has the last event', async () => {
    const call = await renderctl('trace', id);
    return call.stdout.includes('agrees with the log') && call;
  });
  t.is(trace.exit_code, 0);
  t.regex(trace.stdout, /RenderCompleted +accepted +-> complete +worker:wkr_1 +att_1/);
  t.regex(trace.stdout, /RenderCompleted +ignored: already_final +complete/);

  const { facts, render, read_model } = JSON.parse((await renderctl('trace', id, '--json')).stdout);
  t.is(facts.length, 7);
  t.is(render.status, 'complete');
  t.deepEqual(read_model, { tag: 'agrees' });
});

test.serial('a render that fails while it is watched', async (t) => {
  const id = await created(t);
  const watching = renderctl('render', 'watch', id);
  await append(t, id, [failed('preparer:prep_1', null)]);
  const { exit_code, stderr } = await watching;
  t.is(exit_code, 1);
  t.regex(stderr, new RegExp(`${id} failed: .*there is no such font; see every step with "renderctl trace ${id}"`));
});

test.serial('Ctrl-C leaves a watched render alone', async (t) => {
  const id = await created(t);
  const stopping = new AbortController();
  const service = { RENDERCTL_BASE_URL: stack.base_url, RENDERCTL_API_KEY: api_key };
  const watching = caller(service, stopping.signal)('render', 'watch', id);
  await until('its watching has begun', async () => (await renderctl('render', 'get', id)).exit_code === 0);
  stopping.abort();
  t.is((await watching).exit_code, 130);
  t.regex((await renderctl('render', 'get', id)).stdout, /initializing/);
});

test.serial('a read model that was tampered with is found out', async (t) => {
  const id = await created(t);
  const renders = clients.store.db.collection<RenderDocument>(renderCollections(1).renders);
  await until('the read model has it', () => renders.findOne({ _id: id }));
  await renders.updateOne({ _id: id }, { $set: { 'render.name': 'Another' } });
  const { exit_code, stdout, stderr } = await renderctl('trace', id);
  t.is(exit_code, 1);
  t.regex(stdout, /RenderRequested +accepted/);
  t.regex(stderr, new RegExp(`the read model disagrees with the log about ${id}\n  the render itself differs`));
});

test.serial('refusals of the service are passed on in its own words', async (t) => {
  const order = ['render', 'create', '--name', 'First', '--project'];
  const told = async (...args: readonly string[]): Promise<string> => {
    const { exit_code, stderr } = await renderctl(...args);
    t.is(exit_code, 1);
    return stderr;
  };
  t.regex(await told(...order, 'proj_x'), /^renderctl: .*project/);
  t.regex(await told(...order, project_id, '--template', 'tpl_x'), /^renderctl: .*template/);
  t.regex(
    await told(...order, project_id, '--value', 'a=b'),
    /^renderctl: values: must be left out without a template_id/,
  );
  t.regex(await told(...order, project_id, '--template', template_id, '--value', 'accent=red'), /values\.accent/);
  t.regex(await told('render', 'get', 'rend_x'), /^renderctl: there is no such render/);
  t.regex(await told('render', 'watch', 'rend_x'), /^renderctl: there is no such render/);
  t.regex(await told('trace', 'rend_x'), /^renderctl: there is no render rend_x/);

  const stranger = caller({ RENDERCTL_BASE_URL: stack.base_url, RENDERCTL_API_KEY: 'vr_wrong' });
  const { exit_code, stderr } = await stranger('render', 'get', 'rend_x');
  t.is(exit_code, 1);
  t.regex(stderr, /give a live key in RENDERCTL_API_KEY/);
});
