import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Command } from 'commander';
import { execa } from 'execa';
import { completionsOf, FILE_ARGUMENT_NAMES } from '../../../cli/completion/completions.ts';
import { completionScript, SHELLS } from '../../../cli/completion/scripts.ts';
import { createConnection } from '../../../cli/connection.ts';
import { COMMANDS, createRenderctl } from '../../../cli/program.ts';
import { STATUSES } from '../../../domain/render/render.ts';
import { caller, RENDERCTL } from '../../helpers/renderctl.ts';

const stop = new AbortController().signal;
const { stdout, stderr } = process;
const ask = async () => null;
const askSecret = async () => '';
const context = {
  connection: createConnection({}, '', stop),
  stdout,
  stderr,
  stop,
  ask,
  askSecret,
  hasPipedText: async () => false,
  setExitCode: () => undefined,
};
let program = new Command();

test.before(async () => {
  program = await createRenderctl(context);
});

test('a call loads only the command that it names, otherwise all', async (t) => {
  const loaded = async (called?: string) => (await createRenderctl(context, called)).commands.map((one) => one.name());
  const all = await loaded();
  const hidden = (name: string) => (name === 'completion' ? ['complete'] : []);
  for (const [name] of COMMANDS) t.deepEqual(await loaded(name), [name, ...hidden(name)]);
  t.is(all.length, COMMANDS.length + 1);
  t.deepEqual(await loaded('rendr'), all);
  t.deepEqual(await loaded('complete'), all, 'the completion knows all of them');
});

/** Words that can end a line; `files` means file names. */
const at = (...words: readonly string[]): readonly string[] | 'files' => {
  const found = completionsOf(program, words);
  return found.tag === 'files' ? 'files' : found.words.map(({ value }) => value);
};

test('completion offers commands and their subcommands', (t) => {
  t.deepEqual(at('pr'), ['project', 'prove']);
  t.true(at('').includes('completion'));
  t.false(at('').includes('complete'), 'commands for the scripts are hidden');
  t.deepEqual(at('render', 'ba'), ['batch']);
  t.deepEqual(at('rendr', ''), [], 'an unknown command has no subcommands');
});

test('completion offers the options of the command at the cursor', (t) => {
  t.deepEqual(at('render', 'list', '--st'), ['--status']);
  t.deepEqual(at('render', 'list', '--project', 'proj_1', '--al'), ['--all']);
  t.deepEqual(at('--ver'), ['--version']);
  t.true(at('team', 'list', '--').includes('--json'));
  t.true(at('team', 'list', '').includes('--account'), 'without an argument');
  t.deepEqual(at('render', 'get', '--', '--j'), [], 'no option after a bare --');
});

test('completion offers the choices of options and arguments', (t) => {
  t.deepEqual(at('render', 'list', '--status', ''), STATUSES);
  t.deepEqual(at('render', 'list', '--status', 'f'), ['finalizing', 'failed']);
  t.deepEqual(at('render', 'list', '--status=f'), ['--status=finalizing', '--status=failed']);
  t.deepEqual(at('render', 'list', '--status', '=', 'fa'), ['failed'], 'as bash splits it');
  t.deepEqual(at('render', 'list', '--status', '='), STATUSES);
  t.deepEqual(at('member', 'role', 'team_1', 'user_1', ''), ['admin', 'member']);
  t.deepEqual(at('completion', ''), [...SHELLS]);
});

test('completion offers files where a file is expected, and nothing for an id', (t) => {
  t.is(at('render', 'batch', ''), 'files');
  t.is(at('asset', 'add', 'a.png', 'b'), 'files', 'every further argument');
  t.is(at('project', 'import', 'exa'), 'files');
  t.is(at('still', 'proj_1', '-o', ''), 'files');
  t.is(at('render', 'create', '--values=v'), 'files');
  t.deepEqual(at('render', 'get', ''), []);
  t.deepEqual(at('render', 'list', '--project', ''), []);
});

test('completion knows every argument that is a file', (t) => {
  const leaves = (command: Command): readonly Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  const named = leaves(program).flatMap((command) => [
    ...command.registeredArguments.map((one) => ({ name: one.name(), text: one.description })),
    ...command.options.map(({ flags, description }) => ({
      name: /[<[]([\w-]+)/.exec(flags)?.[1] ?? '',
      text: description,
    })),
  ]);
  const of_files = named.filter(({ name, text }) => name !== '' && /\bfiles?\b|\bfolder\b/.test(text));
  t.true(of_files.length >= 8);
  t.deepEqual(
    of_files.filter(
      ({ name, text }) => !FILE_ARGUMENT_NAMES.includes(name) && !/overrides the file|refuse files|one file/.test(text),
    ),
    [],
  );
});

const folderOf = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "com'ple tion "));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
};

const inBash = async (script: string, words: readonly string[]): Promise<readonly string[]> => {
  const lines = `${script}\n${script}\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n_renderctl\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const result = await execa('bash', ['-uc', lines, 'bash', ...words]);
  return result.stdout.split('\n');
};

test('bash completes real commands, with quotes and spaces in the path', async (t) => {
  const folder = await folderOf(t);
  await symlink(RENDERCTL, join(folder, 'renderctl'));
  const script = completionScript('bash', join(folder, 'renderctl'));
  t.deepEqual(await inBash(script, ['./renderctl', 'render', 'do']), ['download']);
  t.deepEqual(await inBash(script, ['renderctl', 'render', 'list', '--status', '=', 'fa']), ['failed']);
  t.deepEqual(await inBash(script, ['renderctl', 'render', 'get', '']), ['']);
  t.deepEqual(await inBash(script, ['renderctl', 'nonsense', '--x']), ['']);
});

test('completion never executes the line', async (t) => {
  const folder = await folderOf(t);
  const evil = `$(touch '${folder}/evil')`;
  const script = completionScript('bash', RENDERCTL);
  t.deepEqual(await inBash(script, ['renderctl', 'render', 'list', '--search', evil, '--al']), ['--all']);
  await t.throwsAsync(execa('test', ['-e', join(folder, 'evil')]));
});

test('on a terminal, Tab completes a command, an argument, an option and a file', async (t) => {
  const folder = await folderOf(t);
  await writeFile(join(folder, 'rows of mine.csv'), '');
  await symlink(RENDERCTL, join(folder, 'renderctl'));
  await writeFile(join(folder, 'script'), (await caller({})('completion', 'bash')).stdout);
  const input = [
    '. ./script',
    './renderctl compl\t ba\t --js\t > answer.json',
    // The command is refused without a project; the terminal shows the completed words.
    './renderctl render batch row\t',
    'exit',
    '',
  ];
  const { stdout: shown } = await execa('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
    ...{ cwd: folder, input: input.join('\n'), env: { TERM: 'dumb' }, reject: false, timeout: 30_000 },
  });
  t.is(JSON.parse(await readFile(join(folder, 'answer.json'), 'utf8')).shell, 'bash', shown);
  t.true(shown.includes('render batch rows\\ of\\ mine.csv '), shown);
});

test('each shell has a script; others are refused', async (t) => {
  for (const shell of SHELLS) {
    const { exit_code, stdout: script } = await caller({})('completion', shell);
    t.is(exit_code, 0);
    t.true(script.includes(`${RENDERCTL}' complete -- `), shell);
  }
  const { exit_code, stderr: told } = await caller({})('completion', 'tcsh');
  t.is(exit_code, 2);
  t.regex(told, /Allowed choices are bash, zsh, fish/);
});
