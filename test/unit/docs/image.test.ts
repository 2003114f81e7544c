import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import dockerignore from '@balena/dockerignore';
import test from 'ava';
import { execa } from 'execa';
import * as codec from 'io-ts';
import { COMPONENTS, DEPLOY_STEP } from '../../../stack/components.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const rules = dockerignore.default().add(read('.dockerignore'));
const copied = (paths: readonly string[]): readonly string[] => rules.filter([...paths]);

/** Files that can lie next to the code, in the root or in any folder. None may get into the image. */
const PLANTED = [
  ...['.env', '.env.local', '.env.production', '.npmrc', '.netrc', 'id_ed25519', 'token.txt', 'secrets.json'],
  ...['ca.pem', 'localhost.key', 'dump.json', 'backup.tar.gz', 'notes.md', 'core.1234', '.git-credentials'],
];
const FOLDERS = ['', 'command-api/', 'stack/', 'gateway/', 'schemas/', 'schemas/avro/', 'patches/', 'cli/.cache/'];
const ELSEWHERE = [
  ...['.git/config', '.local/stack.json', '.local/data/secrets.json', '.local/data/tls/ca.key', 'out/demo.mp4'],
  ...[
    'node_modules/pino/package.json',
    '.ci/run',
    'Makefile',
    'docker-compose.yml',
    'stack/secrets.ts',
    'command-apis/x.ts',
  ],
];

test('the image has no files from outside the code', (t) => {
  const planted = FOLDERS.flatMap((folder) => PLANTED.map((name) => `${folder}${name}`));
  t.deepEqual(copied([...planted, ...ELSEWHERE]), []);
});

const tracked = async (...folders: readonly string[]): Promise<readonly string[]> =>
  (await execa('git', ['ls-files', '--', ...folders], { cwd: ROOT })).stdout.split('\n');

const missing = (paths: readonly string[]): readonly string[] => {
  const there = new Set(copied(paths));
  return paths.filter((path) => !there.has(path));
};

test('the image has no tests, benches, documents or embedded-stack tools', async (t) => {
  const all = await tracked();
  t.true(all.length > 500);
  const examples = copied(all).filter((path) => path.startsWith('examples/'));
  t.true(examples.every((path) => path.startsWith('examples/starters/')));
  const folders = new Set(copied(all).map((path) => (path.includes('/') ? path.split('/')[0] : path)));
  t.deepEqual(
    [...folders].toSorted(),
    [
      ...[
        'catalogue',
        'cli',
        'command-api',
        'dashboard',
        'deploy',
        'domain',
        'engine',
        'examples',
        'package-lock.json',
        'package.json',
        'patches',
        'notary',
        'platform',
        'projectors',
        'proofs',
      ],
      ...[
        'management-api',
        'query-api',
        'read-models',
        'render-commands',
        'render-workers',
        'renderctl',
        'retention',
        'schemas',
        'gateway',
        'tsconfig.json',
        'webhook-relay',
      ],
    ].toSorted(),
  );
});

const Cruised = codec.type({
  modules: codec.array(
    codec.type({
      source: codec.string,
      dependencies: codec.array(codec.type({ resolved: codec.string, couldNotResolve: codec.boolean })),
    }),
  ),
});

/** Programs that are started by path, so that no import names them. */
const STARTED = ['engine/raster/main.ts'];
const ENTRIES = [...COMPONENTS.map(({ entry }) => entry), DEPLOY_STEP.entry, 'cli/main.ts', ...STARTED];
/** Files that a module reads by a path relative to itself; folders do not count. */
const FILE_NAMED = /new URL\('(\.{1,2}\/[^']*[^'/]|[^'/]+)', import\.meta\.url\)/g;

test('the image has every file that its programs import or read', async (t) => {
  t.timeout(60_000);
  const args = ['--config', 'dependency-rules.json', '--output-type', 'json', ...ENTRIES];
  const { stdout } = await execa(join(ROOT, 'node_modules', '.bin', 'depcruise'), args, { cwd: ROOT, reject: false });
  const cruised = Cruised.decode(JSON.parse(stdout));
  if (cruised._tag === 'Left') return t.fail('dependency-cruiser answers in another form');
  const own = cruised.right.modules
    .map(({ source }) => source)
    .filter((source) => source.endsWith('.ts') && !source.includes('node_modules/'));
  t.true(own.length > 300);
  for (const entry of ENTRIES) t.true(own.includes(entry), entry);
  t.deepEqual(missing(own), []);
  const named = own.flatMap((path) =>
    Array.from(read(path).matchAll(FILE_NAMED), ([, file = '']) => join(path, '..', file)),
  );
  t.deepEqual(missing(await tracked(...named)), []);
  // Files that a component reads under a computed name.
  t.deepEqual(missing(await tracked('platform/sandbox')), []);
  t.deepEqual(
    missing(
      await tracked(
        ...[
          'command-api',
          'dashboard',
          'query-api',
          'management-api',
          'notary',
          'projectors',
          'proofs',
          'read-models',
          'engine',
          'render-workers',
          'retention',
          'webhook-relay',
        ],
      ),
    ),
    [],
  );
});
