import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { caller, RENDERCTL } from '../../helpers/renderctl.ts';

const ROOT = dirname(RENDERCTL);
const renderctl = caller({});

const WRONG: readonly [string, readonly string[], RegExp][] = [
  ['an unknown command', ['rendr'], /^renderctl: unknown command 'rendr'/],
  ['a missing option', ['team', 'create', '--name', 'T'], /required option '--account <account>' not specified/],
  [
    'an unknown option',
    ['team', 'list', '--acount', 'acc_1'],
    /unknown option '--acount'\n\(Did you mean --account\?\)/,
  ],
  ['an empty name', ['account', 'create', '--name', ''], /It must have 1 to 250 characters/],
  ['a name of 251 characters', ['account', 'create', '--name', 'x'.repeat(251)], /It must have 1 to 250 characters/],
  ['credits that are not a number', ['account', 'grant', 'a', 'many'], /It must be a whole number/],
  ['an unknown role', ['member', 'add', 't', 'u', '--role', 'owner'], /Allowed choices are admin, member/],
  [
    'a name of two lines',
    ['team', 'rename', 't', 'Film\n\u001b[2J'],
    /It must not contain control characters \(U\+000A at position 5\)\./,
  ],
  [
    'a name with reversed text direction',
    ['account', 'create', '--name', 'Acme\u202e'],
    /It must not contain characters that turn the direction of text \(U\+202E at position 5\)\./,
  ],
  ['a name of spaces', ['account', 'create', '--name', '  '], /It must have a visible character/],
  ['an invisible name', ['team', 'rename', 't', '\u2800\u3164\u200b'], /It must have a visible character/],
  [
    'a given id of another kind',
    ['team', 'create', '--account', 'a', '--name', 'T', '--id', 'acc_1'],
    /It must be "team_" and then 1 to 64 letters/,
  ],
  [
    'a given id that breaks the order of lists',
    ['project', 'create', '--team', 't', '--name', 'P', '--id', 'proj_1:2'],
    /It must be "proj_" and then/,
  ],
  ['a change to an unknown role', ['member', 'role', 't', 'u', 'owner'], /Allowed choices are admin, member/],
  ['a limit that is not a limit', ['account', 'unlimited', 'a', 'yes'], /Allowed choices are on, off/],
  [
    'an overlap without a unit',
    ['key', 'rotate', 'k', '--overlap', '24'],
    /It must be a time like 90s, 30m, 24h or 7d/,
  ],
  ['an overlap of a year', ['key', 'rotate', 'k', '--overlap', '365d'], /It must be at most 90d/],
  ['neither an address nor its removal', ['user', 'email', 'u'], /use either a new address, or --none/],
  ['an address and its removal', ['user', 'email', 'u', 'a@b.org', '--none'], /use either a new address, or --none/],
  ['a version before the first', ['project', 'show', 'p', '--version', '0'], /It must be 1 or more/],
  ['an audit of two scopes', ['audit', '--account', 'a', '--team', 't'], /cannot be used with option '--team <team>'/],
  ['an unknown kind of change', ['audit', '--kind', 'KeyIssued'], /Allowed choices are AccountCreated, /],
  ['a page with all entries', ['audit', '--limit', '501'], /It must be from 1 to 500/],
  ['an invalid position', ['audit', '--after', 'x'], /the position at the end of the previous page/],
  ['CSV of one page', ['audit', '--csv', '--limit', '5'], /cannot be used with option '--limit <count>'/],
  ['an invalid address', ['user', 'create', '--email', 'ana'], /It must look like name@example\.org/],
  [
    'an invalid date',
    ['key', 'create', '--account', 'a', '--team', 't', '--expires', 'soon'],
    /a date like 2027-01-31/,
  ],
  ['an expired key', ['key', 'create', '--account', 'a', '--team', 't', '--expires', '2020-01-01'], /in the future/],
  ['a value without its key', ['render', 'create', '--name', 'n', '--project', 'p', '--value', 'x'], /like key=value/],
  ['import without a destination', ['project', 'import', '.'], /use either --team .* or --project/],
  [
    'import to two destinations',
    ['project', 'import', '.', '--team', 't', '--project', 'p'],
    /use either --team .* or --project/,
  ],
  ['a negative version', ['project', 'import', '.', '--project', 'p', '--base-version', '-1'], /It must be 0 or more/],
  ['an endpoint without events', ['webhook', 'create', 't', 'https://a.example'], /use at least one --event, or --all/],
  [
    'a forwarding server without its scheme',
    ['webhook', 'listen', '--forward-to', 'localhost:3000'],
    /It must be an address like http:\/\/localhost:3000\/hooks\./,
  ],
  ['listening without a server', ['webhook', 'listen'], /required option '--forward-to <url>' not specified/],
  ['an unknown event', ['webhook', 'events', 'w', '--event', 'render.moved'], /Allowed choices are render\.status/],
  [
    'all events and one of them',
    ['webhook', 'events', 'w', '--all-events', '--event', 'render.failed'],
    /'--event <event>' cannot be used with option '--all-events'/,
  ],
  [
    'a given endpoint id of another kind',
    ['webhook', 'create', 't', 'https://a.example', '--all-events', '--id', 'hook_1'],
    /It must be "whe_" and then 1 to 64 letters/,
  ],
  ['no files to add', ['asset', 'add', '--project', 'p'], /missing required argument 'files'/],
  [
    'an asset without a kind',
    ['asset', 'add', 'f', '--project', 'p', '--kind', 'film'],
    /Allowed choices are image, video/,
  ],
  ['an asset id with a space', ['asset', 'add', 'f', '--project', 'p', '--id', 'a b'], /1 to 64 letters, digits/],
  ['one id for two assets', ['asset', 'add', 'f', 'g', '--project', 'p', '--id', 'a'], /--id works with one file only/],
  [
    'a batch without rows',
    ['render', 'batch', '--project', 'p', '--template', 't'],
    /missing required argument 'rows'/,
  ],
  ['a batch without a template', ['render', 'batch', 'r', '--project', 'p'], /required option '--template <template>'/],
  [
    'a batch of 101 at once',
    ['render', 'batch', 'r', '--project', 'p', '--template', 't', '--concurrency', '101'],
    /It must be from 1 to 100/,
  ],
  ['a still without a time', ['still', 'p'], /required option '--at <seconds>' not specified/],
  ['a still at a negative time', ['still', 'p', '--at', '-1'], /It must be seconds, like 3\.2/],
  [
    'a still of an unknown kind',
    ['still', 'p', '--at', '1', '-o', 'a.gif'],
    /It must end in \.png, \.jpg, \.jpeg or \.webp/,
  ],
  ['a trace without an id', ['trace'], /missing required argument 'id'/],
  [
    'a trace of an unknown kind of id',
    ['trace', 'hook_1'],
    /hook_1 cannot be traced: the id must begin with rend_… \(a render\), acc_/,
  ],
  ['a download without a render', ['render', 'download'], /missing required argument 'render'/],
  [
    'a download to a pipe',
    ['render', 'download', 'r', '-o', '-'],
    /It must be a file or a folder; "renderctl render get"/,
  ],
  ['completion without a shell', ['completion'], /missing required argument 'shell'/],
];

for (const [title, args, told] of WRONG)
  test(`renderctl exits with code 2 and a reason for ${title}`, async (t) => {
    const { exit_code, stdout, stderr } = await renderctl(...args);
    t.is(exit_code, 2, stderr);
    t.is(stdout, '');
    t.regex(stderr, told);
  });

test('without a stack every command says how to start one, and exits with 1', async (t) => {
  for (const args of [
    ['team', 'list'],
    ['render', 'get', 'rend_1'],
    ['render', 'download', 'rend_1'],
    ['env'],
    ['trace', 'rend_1'],
    ['plan', 'proj_1'],
    ['still', 'proj_1', '--at', '1'],
    ['asset', 'list', 'proj_1'],
  ]) {
    const { exit_code, stderr } = await renderctl(...args);
    t.is(exit_code, 1);
    t.regex(stderr, /^renderctl: no stack is running here; start one with "make start"/);
  }
});

test('a file that is not JSON is refused before any request', async (t) => {
  const file = join(await mkdtemp(join(tmpdir(), 'values ')), 'values.json');
  t.teardown(() => rm(file, { force: true }));
  await writeFile(file, '{');
  const { exit_code, stderr } = await renderctl('render', 'create', '--name', 'n', '--project', 'p', '--values', file);
  t.is(exit_code, 1);
  t.regex(stderr, /values\.json cannot be read: it is not JSON/);
});

test('incomplete addresses in the environment are reported with the missing ones', async (t) => {
  const { exit_code, stderr } = await caller({ KAFKA_BROKERS: '127.0.0.1:9' })('team', 'list');
  t.is(exit_code, 1);
  t.regex(stderr, /the settings in the environment are incomplete/);
  t.regex(stderr, /MONGODB_URL is not set/);
});

test('unreachable servers are named within seconds', async (t) => {
  const away = {
    KAFKA_BROKERS: '127.0.0.1:9',
    SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9/',
    MONGODB_URL: 'mongodb://127.0.0.1:9/?replicaSet=rs0',
  };
  const [log, store, service] = await Promise.all([
    caller(away)('trace', 'rend_1'),
    caller(away)('team', 'list', '--json'),
    caller({ RENDERCTL_BASE_URL: 'http://127.0.0.1:9', RENDERCTL_API_KEY: 'vr_x' })('render', 'get', 'rend_1'),
  ]);
  t.regex(log.stderr, /Kafka does not answer at 127\.0\.0\.1:9; is the stack running\?/);
  t.is(JSON.parse(store.stderr).error, 'MongoDB does not answer at 127.0.0.1:9');
  t.regex(service.stderr, /the service does not answer at http:\/\/127\.0\.0\.1:9/);
});

test('listening needs servers that reach this machine, and says what to do instead', async (t) => {
  const remote = caller({ RENDERCTL_URL: 'https://video.example.com', RENDERCTL_API_KEY: 'vr_x' });
  const { exit_code, stderr } = await remote('webhook', 'listen', '--forward-to', 'http://localhost:3000');
  t.is(exit_code, 1);
  t.regex(stderr, /https:\/\/video\.example\.com cannot send requests to this machine/);
  t.regex(stderr, /with a tunnel, and run "renderctl webhook create URL --all-events"/);
});

test('an address without a key is reported', async (t) => {
  const { stderr } = await caller({ RENDERCTL_BASE_URL: 'http://127.0.0.1:9' })('render', 'get', 'rend_1');
  t.regex(stderr, /there is no API key; set RENDERCTL_API_KEY/);
});

test('every command has a help with an example in it', async (t) => {
  const { stdout } = await renderctl('--help');
  for (const name of [
    'account',
    'team',
    'member',
    'user',
    'key',
    'project',
    'asset',
    'plan',
    'still',
    'render',
    'webhook',
    'trace',
    'env',
    'completion',
  ])
    t.regex(stdout, new RegExp(`^  ${name}`, 'm'));
  const help = await renderctl('project', 'import', '--help');
  t.is(help.exit_code, 0);
  t.regex(help.stdout, /Examples:\n {2}\$ renderctl project import examples\/demo --team/);
});

test('renderctl prints its version, and the commit if there is a repository', async (t) => {
  const { exit_code, stdout } = await renderctl('--version');
  t.is(exit_code, 0);
  t.is(stdout, (await renderctl('-V')).stdout);
  const [, version, commit] = /^renderctl (\S+)(?: \(([0-9a-f]{12})(?:-dirty)?\))?\n$/.exec(stdout) ?? [];
  t.is(version, JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).version);
  const git = await execa('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT, reject: false });
  t.is(commit, git.exitCode === 0 ? git.stdout : undefined);
});

test('renderctl runs through a link, from another folder, and with spaces in its path', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'a folder '));
  t.teardown(() => rm(folder, { recursive: true }));
  await symlink(RENDERCTL, join(folder, 'render ctl'));
  const { stdout } = await execa(join(folder, 'render ctl'), ['--help'], { cwd: folder });
  t.regex(stdout, /^Usage: renderctl/);
});

test('env prints a stack file as shell assignments', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stack '));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'stack.json');
  const stack = { base_url: 'http://b', kafka: 'k', registry_url: 'r', mongodb_url: 'm', blob_connection_string: 's' };
  await writeFile(path, JSON.stringify({ ...stack, api_key: 'vr_1' }));
  const { stdout } = await caller({ RENDERCTL_STACK_FILE: path })('env');
  t.regex(stdout, /^export BASE_URL='http:\/\/b'$/m);
  t.regex(stdout, /^export API_KEY='vr_1'$/m);
  t.regex(stdout, /^export KAFKA_BROKERS='k'$/m);
  await writeFile(path, '{"base_url":"http://b"}');
  const broken = await caller({ RENDERCTL_STACK_FILE: path })('env');
  t.regex(broken.stderr, /stack\.json cannot be read: kafka: is required/);
});

test('with the environment of a stopped stack, renderctl finds the running one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stack '));
  t.teardown(() => rm(folder, { recursive: true }));
  const gone = {
    ...{
      KAFKA_BROKERS: '127.0.0.1:8',
      SCHEMA_REGISTRY_URL: 'http://127.0.0.1:8/',
      MONGODB_URL: 'mongodb://127.0.0.1:8/',
    },
    AZURE_STORAGE_CONNECTION_STRING: 's',
    ...{
      STACK_KAFKA: '127.0.0.1:8',
      STACK_REGISTRY_URL: 'http://127.0.0.1:8/',
      STACK_MONGODB_URL: 'mongodb://127.0.0.1:8/',
    },
    STACK_BLOB_CONNECTION_STRING: 's',
  };
  t.regex((await caller(gone)('team', 'list')).stderr, /^renderctl: no stack is running here/);
  const path = join(folder, 'stack.json');
  const servers = { kafka: 'k', registry_url: 'r', mongodb_url: 'mongodb://127.0.0.1:9/', blob_connection_string: 's' };
  await writeFile(path, JSON.stringify({ base_url: 'http://b', ...servers }));
  const own = { ...gone, MONGODB_URL: 'mongodb://127.0.0.1:7/', RENDERCTL_STACK_FILE: path };
  const [running, ownStore] = await Promise.all([
    caller({ ...gone, RENDERCTL_STACK_FILE: path })('team', 'list'),
    caller(own)('team', 'list'),
  ]);
  t.regex(running.stderr, /MongoDB does not answer at 127\.0\.0\.1:9;/);
  t.regex(ownStore.stderr, /MongoDB does not answer at 127\.0\.0\.1:7;/);
});
