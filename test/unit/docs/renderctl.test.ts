import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { parseBatchColumns } from '../../../cli/batch/columns.ts';
import { MAX_BATCH_ROWS, readRows } from '../../../cli/batch/csv-rows.ts';
import { batchRowRequests } from '../../../cli/batch/row-orders.ts';
import { readProject } from '../../../cli/catalogue/project-files.ts';
import { createConnection } from '../../../cli/connection.ts';
import { createRenderctl } from '../../../cli/program.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const page = read('docs/renderctl.md');

const stop = new AbortController().signal;
const { stdout, stderr } = process;
const ask = async () => null;
const askSecret = async () => '';
let program = new Command();

test.before(async () => {
  const asked = {
    connection: createConnection({}, '', stop),
    stdout,
    stderr,
    stop,
    ask,
    askSecret,
    hasPipedText: async () => false,
    setExitCode: () => undefined,
  };
  program = await createRenderctl(asked);
});

type Call = { readonly text: string; readonly words: readonly string[] };

/** Every call in the shell blocks of a page, with lines joined that end in a backslash. */
const callsIn = (text: string): readonly Call[] =>
  Array.from(text.matchAll(/```sh\n(.*?)```/gs), ([, block]) => block ?? '')
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => Array.from(line.matchAll(/\.\/renderctl ((?:"[^"]*"|[^&|)#"])*)/g), ([, call]) => call ?? ''))
    .map((call) => ({ text: call, words: call.trim().split(/\s+/) }));

for (const file of ['README.md', 'docs/renderctl.md', 'docs/webhooks.md', 'docs/evidence.md', 'docs/operations.md'])
  test(`${file}: every command and option on it exists in renderctl`, (t) => {
    const calls = callsIn(read(file));
    t.true(calls.length >= 5);
    for (const { text, words } of calls) {
      let command = program;
      let depth = 0;
      for (const word of words) {
        const next = command.commands.find((one) => one.name() === word);
        if (next === undefined) break;
        command = next;
        depth += 1;
      }
      t.true(depth > 0 && (command.commands.length === 0 || command.registeredArguments.length > 0), text);
      for (const [option] of text.replaceAll(/"[^"]*"/g, '""').matchAll(/(?<= )--?[a-z][a-z-]*/g)) {
        const known = command.options.some(({ long, short }) => option === long || option === short);
        t.true(known, `${command.name()} ${option}`);
      }
    }
  });

test('the files of the page exist, and its rows fit the demo’s template', async (t) => {
  for (const [path] of page.matchAll(/examples\/[\w./-]+/g)) t.true(existsSync(join(ROOT, path)), path);
  const sheet = await readRows(join(ROOT, 'examples/demo/rows.csv'));
  const project = await readProject(join(ROOT, 'examples/demo'));
  if (E.isLeft(sheet) || E.isLeft(project)) return t.fail('it cannot be read');
  const [template] = project.right.file.templates;
  if (template === undefined) return t.fail('there is no template');
  const columns = parseBatchColumns(sheet.right.columns, template, 'Spring {row}');
  if (E.isLeft(columns)) return t.fail(columns.left.join('; '));
  const batch = { project_id: 'proj_1', template, name: 'Spring {row}', edition: '', draft: false };
  for (const row of batchRowRequests(batch, columns.right, sheet.right.rows)) t.is(row.tag, 'order');
});

test('the bounds match the page', (t) => {
  t.true(page.includes(`at most ${MAX_BATCH_ROWS.toLocaleString('en')} rows`));
});
