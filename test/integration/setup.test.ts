import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';

// The set-up uses a downloaded file only if it matches its pinned hash.
const ROOT = join(import.meta.dirname, '..', '..');

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A folder like the project's, with the scripts of the set-up and without tools. */
const project = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'set up '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await cp(join(ROOT, 'stack', 'setup'), join(folder, 'stack', 'setup'), { recursive: true });
  await mkdir(join(folder, 'bin'));
  for (const sources of ['patches', 'dashboard', 'domain', join('schemas', 'http'), join('test', 'foreign-verifier')]) {
    await mkdir(join(folder, sources), { recursive: true });
  }
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await writeFile(join(folder, 'patches', 'none.patch'), '');
  return folder;
};

const SOURCES = ['step', 'pins', 'tools', 'packages'].map((name) => `. stack/setup/${name}.sh`);

const installing = (folder: string, install: string, env: Readonly<Record<string, string>> = {}) =>
  execa('bash', ['-euo', 'pipefail', '-c', ['scope=everything', ...SOURCES, `step it It . ${install}`].join('\n')], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, root: folder, ...env },
    all: true,
    reject: false,
  });

/** A substitute for Maven that serves these files for any request. */
const serving = async (folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> => {
  const served = join(folder, 'served');
  await rm(served, { recursive: true, force: true });
  await mkdir(served);
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(served, name), bytes);
  const script = `#!/bin/sh\nfor word; do case $word in -DoutputDirectory=*) to=\${word#*=} ;; esac; done\nmkdir -p "$to"\ncp '${served}'/* "$to"\n`;
  await writeFile(join(folder, 'bin', 'mvn'), script, { mode: 0o755 });
};

test("Kafka's jars are used only with their pinned hashes and without extra ones", async (t) => {
  const folder = await project(t);
  const jars = { 'a-1.jar': 'the first', 'b.c-2.jar': 'the second' };
  const list = Object.entries(jars).map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`);
  await writeFile(join(folder, 'stack', 'setup', 'kafka-jars.sha256'), list.join(''));
  const { 'b.c-2.jar': _, ...fewer } = jars;
  const WRONG: readonly [Readonly<Record<string, string>>, RegExp][] = [
    [
      { ...jars, 'a-1.jar': 'the first, altered' },
      /^a-1\.jar does not match its checksum in stack\/setup\/kafka-jars\.sha256/m,
    ],
    [fewer, /^b\.c-2\.jar is pinned in .*, but was not downloaded/m],
    [{ ...jars, 'bxc-2.jar': 'the second' }, /^bxc-2\.jar was downloaded, but is not pinned/m],
  ];
  for (const [files, told] of WRONG) {
    await serving(folder, files);
    const { exitCode, all } = await installing(folder, 'install_kafka');
    t.is(exitCode, 1);
    t.regex(all, told);
    t.false(existsSync(join(folder, '.local', 'tools', 'kafka')));
  }
  await serving(folder, jars);
  const { exitCode, all } = await installing(folder, 'install_kafka');
  t.is(exitCode, 0, all);
  t.is(await readFile(join(folder, '.local', 'tools', 'kafka', 'lib', 'a-1.jar'), 'utf8'), 'the first');
});

test('the archive of the registry is unpacked only if it has its pinned hash', async (t) => {
  const folder = await project(t);
  await serving(folder, { 'apicurio-registry-app-3.0.9-all.tar.gz': 'another archive' });
  const { exitCode, all } = await installing(folder, 'install_registry');
  t.is(exitCode, 1);
  t.regex(all, /does not match its checksum in stack\/setup\/pins\.sh/);
  t.false(existsSync(join(folder, '.local', 'tools', 'registry')));
});

test('Toxiproxy is built only from the pinned module', async (t) => {
  const folder = await project(t);
  const go = `#!/bin/sh\ncase "$1" in mod) echo '{ "Sum": "h1:another" }' ;; *) touch built ;; esac\n`;
  await writeFile(join(folder, 'bin', 'go'), go, { mode: 0o755 });
  const { exitCode, all } = await installing(folder, 'install_toxiproxy');
  t.is(exitCode, 1);
  t.regex(all, /Toxiproxy [0-9.]+ does not match its checksum in stack\/setup\/pins\.sh/);
  t.false(existsSync(join(folder, '.local', 'tools', 'toxiproxy')));
});

const WHEEL = `
import sys, zipfile
folder, word = sys.argv[1:]
with zipfile.ZipFile(f'{folder}/pinned-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('pinned.py', f'word = {word!r}')
    wheel.writestr('pinned-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: pinned\\nVersion: 1.0\\n')
    wheel.writestr('pinned-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('pinned-1.0.dist-info/RECORD', '')
`;

test("npm gets each package's address, or asks the registry if it has others", async (t) => {
  const folder = await project(t);
  const lock = { packages: { '': {}, 'node_modules/a/node_modules/@of/b': { version: '1.2.3' } } };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  for (const file of ['package.json', '.npmrc']) await writeFile(join(folder, file), '');
  const npm = `#!/bin/sh\nif [ "$1" = config ]; then echo https://registry.example/below/; exit; fi\ncp package-lock.json '${folder}/asked'\n! grep -q resolved package-lock.json || [ -z "$OTHER" ] || exit 1\nmkdir -p node_modules/.bin\nln -s '${process.execPath}' node_modules/.bin/node\n`;
  await writeFile(join(folder, 'bin', 'npm'), npm, { mode: 0o755 });
  const asked = async () => JSON.parse(await readFile(join(folder, 'asked'), 'utf8'));
  const install = async (OTHER: string) => {
    const { exitCode, all } = await installing(folder, 'install_packages_of_lock', { OTHER });
    t.is(exitCode, 0, all);
    t.true(existsSync(join(folder, 'node_modules', '.stamp')));
    t.false(existsSync(join(folder, 'node_modules.partial')));
  };
  await install('');
  const resolved = 'https://registry.example/below/@of/b/-/b-1.2.3.tgz';
  t.deepEqual(await asked(), {
    packages: { '': {}, 'node_modules/a/node_modules/@of/b': { version: '1.2.3', resolved } },
  });
  await install('yes');
  t.deepEqual(await asked(), lock);
});

test('a Python package is installed only if it has its pinned hash', async (t) => {
  t.timeout(180_000);
  const folder = await project(t);
  const wheels = join(folder, 'wheels');
  await mkdir(wheels);
  const make = async (word: string): Promise<Buffer> => {
    await execa('python3', ['-c', WHEEL, wheels, word]);
    return readFile(join(wheels, 'pinned-1.0-py3-none-any.whl'));
  };
  const pinned = await make('pinned');
  const requirements = join(folder, 'stack', 'setup', 'reader-requirements.txt');
  await writeFile(requirements, `pinned==1.0 --hash=sha256:${sha256(pinned)}\n`);
  const install = () =>
    installing(folder, 'install_reader', { PIP_NO_INDEX: '1', PIP_FIND_LINKS: pathToFileURL(wheels).href });

  await make('another');
  const altered = await install();
  t.is(altered.exitCode, 1);
  t.regex(altered.all, /DO NOT MATCH THE HASHES/);
  t.false(existsSync(join(folder, '.local', 'tools', 'reader')));
});

test('setup installs servers unless the environment names servers outside the embedded stack', async (t) => {
  const folder = await project(t);
  const needed = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const asked = ['kafka', 'registry', 'store'].map((server) => `if needs_${server}; then echo ${server}; fi`);
    const script = ['scope=servers', ...SOURCES, 'on_path() { false; }', ...asked].join('\n');
    const PATH = process.env.PATH ?? '';
    const given = { cwd: folder, env: { PATH, root: folder, ...env }, extendEnv: false };
    const { stdout } = await execa('bash', ['-euo', 'pipefail', '-c', script], given);
    return stdout.replaceAll('\n', ' ');
  };
  const elsewhere = { KAFKA_BROKERS: 'a:1', SCHEMA_REGISTRY_URL: 'http://b', MONGODB_URL: 'mongodb://c' };
  const embedded = { STACK_KAFKA: 'a:1', STACK_REGISTRY_URL: 'http://b', STACK_MONGODB_URL: 'mongodb://c' };
  t.is(await needed({}), 'kafka registry store');
  t.is(await needed(elsewhere), '');
  t.is(await needed({ ...elsewhere, ...embedded }), 'kafka registry store');
  t.is(await needed({ ...elsewhere, ...embedded, MONGODB_URL: 'mongodb://own' }), 'kafka registry');
});

test('the stamp of the dashboard does not change when its build writes files', async (t) => {
  const folder = await project(t);
  const stamp = async (): Promise<string> => {
    const script = ['scope=servers', ...SOURCES, `printf '%s' "$dashboard_stamp"`].join('\n');
    return (await execa('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env: { root: folder } })).stdout;
  };
  const before = await stamp();
  const ignored = (await readFile(join(ROOT, '.gitignore'), 'utf8')).split('\n');
  const generated = ignored.filter((path) => path.startsWith('dashboard/') && !path.endsWith('/'));
  t.true(generated.length > 0);
  for (const path of generated) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), '{}');
  }
  t.is(await stamp(), before);
  await writeFile(join(folder, 'dashboard', 'page.ts'), '');
  t.not(await stamp(), before);
});

test('everything that pip, Maven and npm fetch is pinned by a hash', async (t) => {
  const read = (name: string) => readFile(join(ROOT, 'stack', 'setup', name), 'utf8');
  for (const name of ['store-requirements.txt', 'reader-requirements.txt', 'generators/requirements.txt']) {
    const pins = (await read(name)).replaceAll(/^#.*\n/gm, '').split(/\n(?=\S)/);
    t.true(pins.length > 5);
    for (const pin of pins) t.regex(pin, /^[a-z0-9.-]+==\S+ (; [^\\]+)?\\\n {4}--hash=sha256:[0-9a-f]{64}/, name);
  }
  const jars = (await read('kafka-jars.sha256')).trimEnd().split('\n');
  t.true(jars.length > 40);
  for (const jar of jars) t.regex(jar, /^[0-9a-f]{64} {2}[\w.-]+\.jar$/);
  const lockIn = async (...path: readonly string[]) => {
    const { '': _own, ...packages } = JSON.parse(await read(join(...path, 'package-lock.json'))).packages;
    return Object.entries<Record<string, unknown>>(packages);
  };
  const generators = await lockIn('generators');
  t.true(generators.length > 50);
  for (const [name, { integrity }] of generators) t.regex(String(integrity), /^sha512-/, name);
  for (const [name, { resolved }] of [...generators, ...(await lockIn('..', '..'))])
    t.is(resolved, undefined, `${name}: no address`);
});
