import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { OPENAPI } from '../../../../schemas/http/public/document.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { assigned, completed, finished, prepared, progressed } from '../../../helpers/render-events.ts';
import { appendToCatalogue, issued, newKey } from '../_catalogue.ts';
import { bearer, idOf, postJson, send, untilServed } from '../_client.ts';
import { append, untilStatus } from '../_life.ts';
import { OF_TEMPLATE, post } from '../_world.ts';
import { test } from './_behind-the-gateway.ts';

type Operation = (typeof OPENAPI.paths)[keyof typeof OPENAPI.paths]['get'];

const PROGRAMS: Readonly<Record<string, { readonly program: string; readonly file: string }>> = {
  Shell: { program: 'bash', file: 'sample.sh' },
  TypeScript: { program: process.execPath, file: 'sample.mts' },
  Python: { program: 'python3', file: 'sample.py' },
};

const OPERATIONS = Object.values(OPENAPI.paths).flatMap(({ get, post }) =>
  [get, post].flatMap((operation: Operation) => (operation === undefined ? [] : [operation])),
);

const sourceOf = (operationId: string, lang: string): string => {
  const operation = OPERATIONS.find((one) => one.operationId === operationId);
  return operation?.['x-codeSamples'].find((sample) => sample.lang === lang)?.source ?? '';
};

const lastIn = (stdout: string): unknown => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

/** They need a project that the test may change and erase. */
const CHANGES = [
  'listVersions',
  'addVersion',
  'getVersion',
  'listAssets',
  'renameProject',
  'copyProject',
  'eraseProject',
];

type Ids = { readonly PROJECT_ID?: string; readonly UPLOAD_ID?: string };

/** The other projects of the tests lack their files. */
const drawableProject = async (gateway: string, key: string): Promise<string> =>
  idOf(await untilServed(() => postJson(`${gateway}/v1/projects`, key, { team_id: 'team_1', starter: 'promo' })));

/** Runs a sample again if it reports a busy service, because samples leave retries to the reader. */
const stdoutOf = async (run: () => Promise<{ readonly stdout: string }>): Promise<string> => {
  const ran = await pollUntil('the sample is served', async () => {
    const result = await run().then(E.right, E.left);
    return E.isRight(result) || !String(result.left).includes('503') ? result : null;
  });
  if (E.isLeft(ran)) throw ran.left;
  return ran.right.stdout;
};

test('every sample runs unchanged in all three languages', async (t) => {
  t.timeout(400_000);
  const { stack } = t.context;
  const render_id = idOf(await post(t.context, OF_TEMPLATE));
  await append(t.context, render_id, [prepared]);
  await untilStatus(t.context, render_id, 'ready');
  const cancelled_id = idOf(await post(t.context, OF_TEMPLATE));
  const folder = await mkdtemp(join(tmpdir(), 'samples '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { key, ...traits } = newKey();
  await appendToCatalogue(t.context.clients.records, [
    issued('key_samples', { key, ...traits }, { user_id: 'user_1', scopes: ['projects:write'] }),
  ]);
  const gateway = stack.component('gateway').url ?? '';
  await pollUntil(
    'the key is folded',
    async () => (await send(`${gateway}/v1/teams`, { headers: bearer(key) })).status === 200,
  );
  const drawable = await drawableProject(gateway, key);
  const env = {
    BASE_URL: stack.component('gateway').url ?? '',
    API_KEY: key,
    TEMPLATE_ID: 'tpl_sale',
    TEAM_ID: 'team_1',
    USER_ID: 'user_1',
    FILE: join(folder, 'logo.png'),
    OUTPUT: join(folder, 'still.jpg'),
  };
  await writeFile(env.FILE, 'the bytes of a picture');
  const started = async (lang: string, operationId: string, ids: Ids = {}) => {
    const { program = '', file = '' } = PROGRAMS[lang] ?? {};
    const path = join(folder, `${operationId}-${file}`);
    await writeFile(path, sourceOf(operationId, lang));
    const RENDER_ID = operationId === 'cancelRender' ? cancelled_id : render_id;
    return {
      ended: execa(program, [path], {
        env: { ...env, RENDER_ID, PROJECT_ID: 'proj_1', ...ids, PYTHONUNBUFFERED: '1' },
        stdin: 'ignore',
        timeout: 180_000,
      }),
    };
  };

  const printedIn = async (lang: string): Promise<ReadonlyMap<string, unknown>> => {
    const printed = new Map<string, unknown>();
    let [own, UPLOAD_ID] = ['', ''];
    for (const { operationId } of OPERATIONS.filter((one) => one.operationId !== 'getRender')) {
      const of_still = operationId === 'drawStill' && { PROJECT_ID: drawable };
      const ids = { UPLOAD_ID, ...(CHANGES.includes(operationId) && { PROJECT_ID: own }), ...of_still };
      const answer = lastIn(await stdoutOf(async () => (await started(lang, operationId, ids)).ended));
      if (operationId === 'createProject') own = String(Object(answer).id);
      if (operationId === 'createUpload') UPLOAD_ID = String(Object(answer).id);
      printed.set(operationId, answer);
    }
    return printed;
  };
  for (const printed of await Promise.all(Object.keys(PROGRAMS).map(printedIn))) {
    t.like(printed.get('createRender'), { name: 'Spring sale, Vienna', status: 'initializing' });
    t.like(printed.get('cancelRender'), { id: cancelled_id, status: 'failed' });
    t.like(printed.get('getProject'), { id: 'proj_1' });
    t.like(printed.get('getTemplate'), { id: 'tpl_sale', project_id: 'proj_1' });
    t.like(printed.get('renameProject'), { name: 'Winter sale' });
    t.like(printed.get('eraseProject'), { id: Object(printed.get('createProject')).id });
    t.like(printed.get('getTeam'), { id: 'team_1' });
    t.like(printed.get('getUpload'), { name: 'logo.png' });
    t.like(printed.get('completeUpload'), { status: 'inspecting' });
    t.true(Object(printed.get('drawStill')).bytes > 100);
    t.like(printed.get('getUser'), { id: 'user_1' });
    const lists = ['listRenders', 'listTransitions', 'listTemplates', 'listProjects', 'listTeams', 'listMembers'];
    for (const name of lists) t.true(Object(printed.get(name)).data.length > 0, name);
  }

  // Waits until each sample has printed the incomplete render. The sample for the shell prints only the end.
  const following = await Promise.all(Object.keys(PROGRAMS).map((lang) => started(lang, 'getRender')));
  await Promise.all(following.slice(1).map(({ ended }) => once(ended.stdout, 'data')));
  await append(t.context, render_id, [assigned('a', 1), progressed('a'), finished('a'), completed('a')]);
  for (const { ended } of following) {
    const render = lastIn((await ended).stdout);
    t.like(render, { id: render_id, status: 'complete' });
    t.regex(Object(render).output.master, /^https?:/);
  }
});
