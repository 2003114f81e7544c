import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';

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

test('the help of renderctl loads no server library', async (t) => {
  const hook = `data:text/javascript,${encodeURIComponent(TOLD)}`;
  const { stdout, stderr } = await execa(process.execPath, ['--import', hook, join(ROOT, 'cli', 'main.ts'), '--help']);
  t.regex(stdout, /^Usage: renderctl/);
  const loaded: readonly string[] = JSON.parse(stderr);
  t.true(loaded.includes('commander'));
  const libraries = [
    'mongodb',
    'kafkajs',
    '@kafkajs/confluent-schema-registry',
    '@azure/storage-blob',
    'restify',
    'pino',
  ];
  t.deepEqual(
    libraries.filter((name) => loaded.includes(name)),
    [],
  );
});
