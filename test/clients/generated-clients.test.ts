import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { execa } from 'execa';
import { ROOT, requireTool, toolFolder } from '../../stack/servers/tools.ts';
import { send } from '../integration/api/_client.ts';
import { startWorld, type World } from '../integration/api/_world.ts';

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(180_000);
  t.context = await startWorld({ components: ['gateway'] });
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stop?.();
});

const TOOLS = toolFolder('generators');
const PYTHON = join(TOOLS, 'bin', 'python');

const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

const { BASE_URL = '', API_KEY } = process.env;
const client = createClient<paths>({ baseUrl: BASE_URL, headers: { Authorization: \`Bearer \${API_KEY}\` } });
const { data, error } = await client.POST('/v1/renders', {
  params: { header: { 'Idempotency-Key': 'openapi-fetch' } },
  body: { name: 'A generated client', project_id: 'proj_1', template_id: 'tpl_sale', values: { headline: 'Now', size: 12 } },
});
if (error !== undefined) throw new Error(error.error);
const status: components['schemas']['RenderStatus'] = data.status;
console.log(JSON.stringify({ ...data, status }));
`;

const HEY_API = `
import { client } from './hey-api/client.gen.ts';
import { createRender } from './hey-api/sdk.gen.ts';
import type { RenderStatus } from './hey-api/types.gen.ts';

const { BASE_URL = '', API_KEY } = process.env;
client.setConfig({ baseUrl: BASE_URL, auth: API_KEY });
const { data, error } = await createRender({
  headers: { 'Idempotency-Key': 'hey-api' },
  body: { name: 'A generated client', project_id: 'proj_1', template_id: 'tpl_sale', values: { headline: 'Now', size: 12 } },
});
if (data === undefined) throw new Error(error.error);
const status: RenderStatus = data.status;
console.log(JSON.stringify({ ...data, status }));
`;

const PYTHON_CLIENT = `
import json
from os import environ as env
from video_rendering_service_client import AuthenticatedClient
from video_rendering_service_client.api.renders import create_render
from video_rendering_service_client.models import Render, RenderRequest, RenderStatus, Values

values = Values()
values["headline"] = "Now"
values["size"] = 12
wanted = RenderRequest(name="A generated client", project_id="proj_1", template_id="tpl_sale", values=values)
client = AuthenticatedClient(base_url=env["BASE_URL"], token=env["API_KEY"], raise_on_unexpected_status=True)
render = create_render.sync(client=client, body=wanted, idempotency_key="python")
assert isinstance(render, Render), render
assert render.status is RenderStatus.INITIALIZING
print(json.dumps(render.to_dict()))
`;

const folderWithDocument = async (t: ExecutionContext<World>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'clients '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { text } = await send(`${t.context.stack.component('gateway').url}/v1/openapi.json`);
  await Promise.all([
    writeFile(join(folder, 'openapi.json'), text),
    writeFile(join(folder, 'package.json'), '{ "type": "module" }'),
    symlink(join(requireTool(TOOLS), 'node_modules'), join(folder, 'node_modules')),
  ]);
  return folder;
};

/** Returns a function that runs a program in the folder `cwd` and returns its output, including errors. */
const runner =
  (t: ExecutionContext<World>, cwd: string) =>
  async (program: string, ...words: readonly string[]): Promise<string> => {
    const { stack, keys } = t.context;
    const env = {
      BASE_URL: stack.component('gateway').url ?? '',
      API_KEY: keys.ours,
      // Where openapi-python-client finds the formatter that it calls.
      PATH: `${join(TOOLS, 'bin')}:${process.env.PATH}`,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: join(cwd, 'python'),
    };
    const { all } = await execa(program, words, { cwd, env, stdin: 'ignore', all: true, timeout: 60_000 });
    return all;
  };

const compiled = (run: ReturnType<typeof runner>, program: string): Promise<string> => {
  const options = [
    '--noEmit',
    '--strict',
    '--allowImportingTsExtensions',
    '--module',
    'nodenext',
    '--target',
    'esnext',
  ];
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
  return run(join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), ...options, ...types, program);
};

const NODE = process.execPath;
const POSTED = { name: 'A generated client', status: 'initializing', project: { id: 'proj_1', team: 'team_1' } };

test('openapi-typescript generates a working client', async (t) => {
  t.timeout(120_000);
  const folder = await folderWithDocument(t);
  const run = runner(t, folder);
  const cli = join('node_modules', 'openapi-typescript', 'bin', 'cli.js');
  t.notRegex(await run(NODE, cli, 'openapi.json', '-o', 'schema.ts'), /warn|error/i);
  await writeFile(join(folder, 'program.ts'), OPENAPI_FETCH);
  t.is(await compiled(run, 'program.ts'), '');
  t.like(JSON.parse(await run(NODE, 'program.ts')), POSTED);
});

test('@hey-api/openapi-ts generates a working client', async (t) => {
  t.timeout(120_000);
  const folder = await folderWithDocument(t);
  const run = runner(t, folder);
  const output = { path: 'hey-api', module: { extension: '.ts' } };
  const settings = JSON.stringify({ input: './openapi.json', output, plugins: ['@hey-api/client-fetch'] });
  await writeFile(join(folder, 'openapi-ts.config.js'), `export default ${settings};`);
  const cli = join('node_modules', '@hey-api', 'openapi-ts', 'bin', 'run.js');
  t.notRegex(await run(NODE, cli), /warn|error/i);
  await writeFile(join(folder, 'program.ts'), HEY_API);
  t.is(await compiled(run, 'program.ts'), '');
  t.like(JSON.parse(await run(NODE, 'program.ts')), POSTED);
  const types = await readFile(join(folder, 'hey-api', 'types.gen.ts'), 'utf8');
  t.deepEqual(types.match(/^export type \w+\d\b/gm), null, 'type names are unique');
});

test('openapi-python-client generates a working client', async (t) => {
  t.timeout(120_000);
  const folder = await folderWithDocument(t);
  const run = runner(t, folder);
  const words = ['generate', '--path', 'openapi.json', '--output-path', 'python', '--fail-on-warning'];
  t.notRegex(await run(PYTHON, '-m', 'openapi_python_client', ...words), /warn|error/i);
  await writeFile(join(folder, 'program.py'), PYTHON_CLIENT);
  t.like(JSON.parse(await run(PYTHON, 'program.py')), POSTED);
  const models = await readdir(join(folder, 'python', 'video_rendering_service_client', 'models'));
  t.true(models.includes('role.py'));
  t.deepEqual(
    models.filter((name) => /\d/.test(name)),
    [],
    'class names are unique',
  );
});
