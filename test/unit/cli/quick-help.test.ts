import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { DOCUMENT_EXAMPLE } from '../../../schemas/http/public/project-changes.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Writes the loaded packages of a program to standard error at its end. */
const TOLD = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({ load: (url, context, next) => {
  packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
  return next(url, context);
} });
process.on('exit', () => console.error(JSON.stringify([...packages])));`;

const LIBRARIES = [
  ...['mongodb', 'kafkajs', '@kafkajs/confluent-schema-registry', '@azure/storage-blob', 'restify', 'pino'],
  ...['sharp', '@napi-rs/canvas', '@duckdb/node-api', 'openid-client'],
];

/** Runs renderctl, and returns its outputs and the packages that it loaded. */
const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const hook = `data:text/javascript,${encodeURIComponent(TOLD)}`;
  const main = join(ROOT, 'cli', 'main.ts');
  const options = { env: { RENDERCTL_CONFIG_DIR: '/nonexistent', ...env }, reject: false } as const;
  const { stdout, stderr } = await execa(process.execPath, ['--import', hook, main, ...args], options);
  const [last = '', ...before] = stderr.split('\n').toReversed();
  const loaded: readonly string[] = JSON.parse(last);
  return { stdout, stderr: before.toReversed().join('\n'), loaded };
};

test('the help of renderctl loads no server library', async (t) => {
  const { stdout, loaded } = await run(['--help']);
  t.regex(stdout, /^Usage: renderctl/);
  t.true(loaded.includes('commander'));
  t.deepEqual(
    LIBRARIES.filter((name) => loaded.includes(name)),
    [],
  );
});

test('commands over the API load no server library', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'film '));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'project.json'), JSON.stringify(DOCUMENT_EXAMPLE));
  const away = { RENDERCTL_URL: 'http://127.0.0.1:9', RENDERCTL_API_KEY: 'vr_1' };
  for (const args of [
    ['project', 'import', folder],
    ['render', 'create', '--name', 'n', '--project', 'p'],
  ]) {
    const { stderr, loaded } = await run(args, away);
    t.regex(stderr, /the service does not answer at http:\/\/127\.0\.0\.1:9/, args[0]);
    t.deepEqual(
      LIBRARIES.filter((name) => loaded.includes(name)),
      [],
      args[0],
    );
  }
});
