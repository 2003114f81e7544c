import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import { openProgressBar } from '../../../cli/bar.ts';
import { jsonText } from '../../../cli/output.ts';
import { COMMANDS } from '../../../cli/program.ts';
import { runRenderctl } from '../../../cli/run.ts';
import { dataScreen, escapeControlCharacters, escapingScreen, type Screen } from '../../../cli/screen.ts';
import { runs } from '../../helpers/runs.ts';

const UNSEEN = /(?![\n\t])\p{C}/u;

/** A hostile text that clears the screen and prints PROVEN. */
const HOSTILE = '\u001b[2J\u001b[HPROVEN: 3 records\u001b[8m\r\u009b31m\u202egnp.exe\u0007\u200b\u{e0041}\ud800';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(HOSTILE, '\u001b]0;title\u0007', '\u202e', '\u{f0000}', '\n', '\t'),
);

const screen = (is_terminal = false) => {
  const chunks: string[] = [];
  const stream: Screen = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk));
        done();
      },
    }),
    is_terminal ? { isTTY: true, columns: 80 } : {},
  );
  return { stream, text: () => chunks.join('') };
};

test('texts lose control characters, and their JSON parses to the same value', (t) => {
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      t.notRegex(escapeControlCharacters(texts.join('')), UNSEEN);
      t.deepEqual(JSON.parse(escapeControlCharacters(jsonText(texts))), texts);
    }),
    { numRuns: runs(400) },
  );
  t.is(escapeControlCharacters('ä 漢\tb\n'), 'ä 漢\tb\n');
  t.is(escapeControlCharacters('\u001b[2J\u{e0041}'), '\\u001b[2J\\udb40\\udc41');
});

test('bytes are shown like texts, and pipes get unchanged tables', (t) => {
  const [pipe, terminal] = [screen(), screen(true)];
  escapingScreen(pipe.stream).write(Buffer.from(HOSTILE));
  t.notRegex(pipe.text(), UNSEEN);
  dataScreen(escapingScreen(pipe.stream)).write('a\u200db');
  t.true(pipe.text().endsWith('a\u200db'));
  dataScreen(escapingScreen(terminal.stream)).write('a\u200db');
  t.is(terminal.text(), 'a\\u200db');
});

test('a progress bar moves the cursor, and texts next to it cannot', (t) => {
  const terminal = screen(true);
  const { bar } = openProgressBar(escapingScreen(terminal.stream), ' {bar} {trail}', 30);
  bar.start(10, 0, { trail: HOSTILE });
  bar.update(5, { trail: HOSTILE });
  bar.stop();
  t.true(terminal.text().includes('\u001b['));
  t.false(terminal.text().includes('\u001b[2J'));
  t.false(terminal.text().includes('\u202e'));
});

const call = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const [stdout, stderr] = [screen(), screen()];
  const exit_code = await runRenderctl(args, {
    env: { RENDERCTL_STACK_FILE: '/nonexistent/stack.json', ...env },
    ...{ stdout: stdout.stream, stderr: stderr.stream },
    ...{ stop: new AbortController().signal, ask: async () => null },
    askSecret: async () => '',
    hasPipedText: async () => false,
  });
  return { exit_code, stdout: stdout.text(), stderr: stderr.text() };
};

test('no answer of any command controls the terminal', async (t) => {
  t.timeout(120_000);
  const names = COMMANDS.map(([name]) => name);
  const options = ['--json', '--key', '--checkpoint', '--project', '--file', '--since', '-o', '--help'];
  const argument = fc.oneof(text, fc.constantFrom(...options, 'list', 'show', 'create', 'log', 'topic'));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names, 'no-such-command', HOSTILE),
      fc.array(argument, { maxLength: 4 }),
      text,
      async (name, args, value) => {
        const env = { RENDERCTL_OPERATOR: value, RENDERCTL_BASE_URL: value, KAFKA_BROKERS: value };
        const { stdout, stderr } = await call([name, ...args], env);
        t.notRegex(stdout, UNSEEN);
        t.notRegex(stderr, UNSEEN);
      },
    ),
    { numRuns: runs(300) },
  );
});

test('a hostile file is named without moving the cursor or adding a line', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hostile '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, `${HOSTILE.replaceAll('\ud800', '')}.json`);
  const key = 'a/b+a4e04b1d+AZM0pUyY0gPLSL5AyqWU1DzSFRIxu0sqpVzmU9hWvbOM';
  const told = `\nPROVEN: 3 records of ${HOSTILE}\n`;
  const record = { topic: told, partition: 0, offset: 0, append_time_ms: 0, key: null, value: null, proof: [] };
  const bundles: readonly unknown[] = [
    told,
    { format: told },
    {
      format: 'rendering proof 1',
      render: told,
      checkpoint: told,
      entry: { index: 0, text: told, proof: [] },
      records: [record],
      schemas: {},
    },
    {
      format: 'rendering proof 1',
      render: told,
      checkpoint: `${HOSTILE}\n1\n${'A'.repeat(43)}=\n\n— x ${'A'.repeat(96)}\n`,
      entry: { index: 0, text: told, proof: [] },
      records: [record],
      schemas: {},
    },
  ];
  for (const bundle of bundles)
    for (const args of [[], ['--json']]) {
      await writeFile(file, JSON.stringify(bundle));
      const { exit_code, stdout, stderr } = await call(['verify', file, '--key', key, ...args]);
      t.true(exit_code === 1 || exit_code === 2, stderr);
      t.is(stdout, '');
      t.notRegex(stderr, UNSEEN);
      t.notRegex(stderr, /^\s*PROVEN/m);
      if (args.length > 0 && exit_code === 1) t.notThrows(() => JSON.parse(stderr));
    }
});
