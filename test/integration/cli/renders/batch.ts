import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import { execa } from 'execa';
import { renderCollections } from '../../../../read-models/collections.ts';
import type { RenderDocument } from '../../../../read-models/renders/documents.ts';
import type { StackClients } from '../../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { assigned, completed, failed, finished, prepared, progressed } from '../../../helpers/render-events.ts';
import { type Call, caller, RENDERCTL } from '../../../helpers/renderctl.ts';
import { seededStack } from './_seeded-stack.ts';

let folder: string;
let clients: StackClients;
let project_id: string;
let template_id: string;
let env: Readonly<Record<string, string>>;
let renderctl: (...args: readonly string[]) => Promise<Call>;

test.before(async (t) => {
  t.timeout(240_000);
  ({ folder, clients, env, project_id, template_id } = await seededStack());
  renderctl = caller(env);
});

const rendersOf = async (name: RegExp) =>
  await clients.store.db.collection<RenderDocument>(renderCollections(1).renders).find({ name }).toArray();

const TO_COMPLETE = [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];

const rendered = async (name: RegExp): Promise<number> => {
  const renders = await rendersOf(name);
  for (const { _id, status } of renders) {
    if (status !== 'initializing') continue;
    const events = /fails/.test(String(renders.find((one) => one._id === _id)?.name))
      ? [failed('preparer:prep_1', null)]
      : TO_COMPLETE;
    for (const event of events) await clients.records.append('render-events', _id, { ...event, render_id: _id });
  }
  return renders.length;
};

const rowsFile = async (name: string, lines: readonly string[]): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
};

const resultsOf = async (path: string): Promise<readonly Record<string, string>[]> =>
  parse<Record<string, string>>(await readFile(path), { columns: true });

const batchOf = (path: string, ...more: readonly string[]): readonly string[] => [
  ...['render', 'batch', path, '--project', project_id, '--template', template_id],
  ...more,
];

const json = async (t: ExecutionContext, ...args: readonly string[]) => {
  const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
  t.is(exit_code, 0, stderr);
  return JSON.parse(stdout);
};

const TWENTY = Array.from({ length: 20 }, (_, i) => `Headline ${i + 1},#00${String(i + 10)}00`);

test.serial('a killed batch continues, and each row is rendered once', async (t) => {
  const rows = await rowsFile('twenty.csv', [
    'headline,accent',
    ...TWENTY.slice(0, 12),
    'A bad one,reddish',
    ...TWENTY.slice(12),
  ]);
  const batch = batchOf(rows, '--name', 'Twenty {headline}');
  const name = /^Twenty/;
  const killed = execa(RENDERCTL, [...batch, '--concurrency', '4'], {
    env: { RENDERCTL_STACK_FILE: '/nonexistent', ...env },
    extendEnv: true,
    reject: false,
  });
  await pollUntil('the first four are requested', async () => (await rendersOf(name)).length === 4);
  killed.kill('SIGKILL');
  await killed;
  t.is(await rendered(name), 4);

  const going = renderctl(...batch);
  await pollUntil('twenty renders', async () => (await rendered(name)) === 20);
  const { exit_code, stdout, stderr } = await going;
  t.is(exit_code, 1, 'one row was at fault');
  t.is(stdout, '');
  t.regex(stderr, /renderctl: 21 rows: 20 complete, 1 invalid in the file \(4 already requested\); the results are in/);
  t.regex(stderr, /\n {2}line 14: accent: must be a colour like #E30613\n/);

  const results = await resultsOf(join(folder, 'twenty.results.csv'));
  t.is(results.length, 21);
  t.deepEqual(Object.keys(results[0] ?? {}), ['row', 'render_id', 'status', 'error', 'url']);
  t.like(results[12], { row: '13', render_id: '', status: 'invalid', url: '' });
  const made = results.filter(({ status }) => status === 'complete');
  t.is(new Set(made.map(({ render_id }) => render_id)).size, 20);
  t.true(made.every(({ url }) => url?.startsWith('http')));

  t.is((await renderctl(...batch)).exit_code, 1);
  t.is((await rendersOf(name)).length, 20, 'and again');
});

test.serial('Ctrl-C ends a batch, says how to continue, and leaves complete results', async (t) => {
  const rows = await rowsFile('stopped.csv', ['headline', ...TWENTY.map((row) => row.split(',')[0] ?? '')]);
  const batch = batchOf(rows, '--name', 'Stopped {row}', '--concurrency', '3');
  const stopping = new AbortController();
  const going = caller(env, stopping.signal)(...batch);
  await pollUntil('three are requested', async () => (await rendersOf(/^Stopped/)).length === 3);
  stopping.abort();
  const { exit_code, stderr } = await going;
  t.is(exit_code, 130);
  t.regex(
    stderr,
    /interrupted; 20 rows: (\d (in progress|without a response from the service), )+1\d not requested; the results are in .*; run the same command again to continue/,
  );
  t.is((await rendersOf(/^Stopped/)).length, 3);
  t.is((await resultsOf(join(folder, 'stopped.results.csv'))).length, 20);
  t.deepEqual(
    (await readdir(folder)).filter((file) => file.endsWith('.part')),
    [],
  );
});

test.serial('failed renders and refused rows are reported, and the other rows continue', async (t) => {
  const rows = await rowsFile('mixed.csv', [
    'label,headline,logo',
    'fine,One,',
    'fails,Two,',
    'refused,Three,no-such-asset',
  ]);
  const results = join(folder, 'mixed out.csv');
  const going = renderctl(...batchOf(rows, '--name', 'Mixed {label}', '--results', results));
  await pollUntil('two renders', async () => (await rendered(/^Mixed/)) === 2);
  const { exit_code, stderr } = await going;
  t.is(exit_code, 1);
  t.regex(stderr, /3 rows: 1 complete, 1 failed, 1 refused by the service; the results are in/);
  t.regex(stderr, /line 3: rend_\w+: .*there is no such font/);
  t.regex(stderr, /line 4: values\.logo: /);
  t.deepEqual(
    (await resultsOf(results)).map(({ status }) => status),
    ['complete', 'failed', 'refused'],
  );

  const renamed = await renderctl(...batchOf(rows, '--name', 'Mixed {label} again', '--results', results, '--no-wait'));
  t.regex(renamed.stderr, /line 2: was already requested with a different name or different values/);
  const anew = await renderctl(
    ...batchOf(rows, '--name', 'Mixed {label} again', '--results', results, '--no-wait', '--edition', '2'),
  );
  t.regex(anew.stderr, /3 rows: 2 in progress, 1 refused by the service/);
});

test.serial('a dry run sends no request', async (t) => {
  const rows = await rowsFile('dry.csv', ['headline,accent', 'Dry,#000000', 'Dry,black']);
  const bad = await renderctl(...batchOf(rows, '--dry-run'));
  t.is(bad.exit_code, 1);
  t.regex(bad.stderr, /2 rows: 1 valid, 1 invalid; nothing was requested\n {2}line 3: accent: must be a colour/);
  const good = await rowsFile('dry.csv', ['headline;accent', 'Dry;#000000']);
  t.deepEqual(await json(t, ...batchOf(good, '--dry-run')), { rows: 1, in_order: 1, at_fault: 0 });
  t.false((await readdir(folder)).includes('dry.results.csv'));
});

test.serial('errors of a whole batch are reported before any request', async (t) => {
  const rows = await rowsFile('wrong.csv', ['headlin', 'x']);
  const refusal = async (...args: readonly string[]) => (await renderctl(...args)).stderr;
  t.regex(
    await refusal(...batchOf(rows)),
    /has 1 error; nothing was requested\n {2}column "headlin" is not a field of the template; did you mean "headline"\?/,
  );
  const of = ['render', 'batch', rows, '--project'];
  t.regex(
    await refusal(...of, 'proj_x', '--template', template_id),
    /^renderctl: there is no project proj_x, or you have no access to it/,
  );
  t.regex(
    await refusal(...of, project_id, '--template', `${template_id}x`),
    new RegExp(`no template "${template_id}x"; did you mean "${template_id}"`),
  );
  t.regex(await refusal(...batchOf(rows, '--results', rows)), /exists and is not a results file/);
  t.regex(
    await refusal(...batchOf(rows, '--results', join(folder, 'nowhere', 'a.csv'))),
    /a\.csv cannot be written: the folder does not exist/,
  );
  const link = join(folder, 'link.csv');
  await symlink('/dev/null', link);
  t.regex(await refusal(...batchOf(rows, '--results', link)), /is not a results file/);
  t.regex(await refusal(...batchOf('/dev/null')), /is not a file; choose a file for the results with --results/);
  t.regex(await refusal(...batchOf(join(folder, 'none.csv'))), /the file does not exist/);
  t.true((await readFile(rows, 'utf8')).startsWith('headlin'));
});

test.serial('an added asset is stored once, in a new version', async (t) => {
  const picture = join(folder, 'Fjell logo (2).svg');
  await writeFile(picture, '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
  const before = await json(t, 'asset', 'list', project_id);
  const add = ['asset', 'add', picture, '--project', project_id];
  const added = await json(t, ...add);
  t.is(added.version, before.version + 1);
  t.like(added.assets[0], {
    id: 'Fjell-logo-2',
    kind: 'image',
    file_name: 'Fjell logo (2).svg',
    content_type: 'image/svg+xml',
  });
  const after = await json(t, 'asset', 'list', project_id);
  t.deepEqual(after.assets, [...before.assets, ...added.assets]);
  const { document: of_old } = await json(t, 'project', 'show', project_id, '--version', String(before.version));
  const { document: of_new } = await json(t, 'project', 'show', project_id);
  t.deepEqual({ ...of_new, assets: of_old.assets }, of_old, 'nothing else changed');

  t.deepEqual(await json(t, ...add), { ...added, repeated: true });
  t.regex((await renderctl(...add)).stdout, /Nothing changed: this is already the current state/);

  await writeFile(picture, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  t.regex(
    (await renderctl(...add)).stderr,
    /the project already has a different asset "Fjell-logo-2"; use --replace, or/,
  );
  const replaced = await json(t, ...add, '--replace');
  t.is(replaced.version, added.version + 1);
  t.is((await json(t, 'asset', 'list', project_id)).assets.length, after.assets.length);
  t.regex(
    (await renderctl('asset', 'list', project_id)).stdout,
    /Fjell-logo-2 +image +62 +Fjell logo \(2\)\.svg +[0-9a-f]{64}/,
  );
});

test.serial('an asset that no render can use is refused', async (t) => {
  const { version } = await json(t, 'asset', 'list', project_id);
  const junk = join(folder, 'junk.mp4');
  const page = join(folder, 'page.png');
  await Promise.all([writeFile(junk, 'This is no film.'), writeFile(page, '<html></html>')]);
  const told = (await renderctl('asset', 'add', junk, page, '--project', project_id)).stderr;
  t.regex(told, /2 errors; nothing was added/);
  t.regex(
    told,
    /junk\.mp4: cannot be read: it is damaged or has an unknown format. Export it again, or convert it to MP4/,
  );
  t.regex(told, /page\.png: is a web page \(HTML\) and not a picture/);
  t.is((await json(t, 'asset', 'list', project_id)).version, version);
});

test.serial('concurrent additions of assets by two people are both kept', async (t) => {
  const files = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const file = join(folder, `${name}.svg`);
      await writeFile(file, `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" id="${name}"/>`);
      return file;
    }),
  );
  const calls = await Promise.all(files.map((file) => renderctl('asset', 'add', file, '--project', project_id)));
  t.deepEqual(
    calls.map(({ exit_code }) => exit_code),
    [0, 0, 0],
  );
  const ids: readonly string[] = (await json(t, 'asset', 'list', project_id)).assets.map(
    ({ id }: { id: string }) => id,
  );
  t.true(['one', 'two', 'three'].every((id) => ids.includes(id)));
});

test.serial('files that are not assets are all reported together, and no file is added', async (t) => {
  const { version } = await json(t, 'asset', 'list', project_id);
  const empty = join(folder, 'empty.png');
  const text = join(folder, 'notes.txt');
  const svg = join(folder, 'one.svg');
  await Promise.all([writeFile(empty, ''), writeFile(text, 'x')]);
  const refusal = async (...args: readonly string[]) => {
    const { exit_code, stderr } = await renderctl('asset', 'add', ...args, '--project', project_id);
    t.not(exit_code, 0);
    return stderr;
  };
  const told = await refusal(svg, empty, text, join(folder, 'none.png'), folder);
  t.regex(told, /4 errors; nothing was added/);
  t.regex(told, /empty\.png: is empty/);
  t.regex(told, /notes\.txt: has an unknown file extension/);
  t.regex(told, /none\.png: cannot be read: the file does not exist/);
  t.regex(await refusal(svg, '--kind', 'video'), /one\.svg: does not have the extension of a video/);
  t.regex(await refusal(svg, join(folder, 'two.svg'), '--id', 'x'), /--id works with one file only/);
  t.regex(
    (await renderctl('asset', 'add', svg, '--project', 'proj_x')).stderr,
    /there is no project proj_x; list them with/,
  );
  t.regex((await renderctl('asset', 'list', 'proj_x')).stderr, /there is no project proj_x/);
  t.is((await json(t, 'asset', 'list', project_id)).version, version);
});
