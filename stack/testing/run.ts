import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { launcherEnvironment } from '../environment.ts';
import { readLines } from '../process/bounded-log.ts';
import { signalGroup } from '../process/process-id.ts';
import { ROOT } from '../servers/tools.ts';
import { TIMES_FOLDER, writeRecordedTimes } from './recorded-times.ts';
import { type SharedServers, startSharedServers } from './shared-servers.ts';
import { addTallies, countTapLine, EMPTY_TALLY, type TapTally, tallyOfFailure, tapLineText } from './tap.ts';
import { writeUnitGroups } from './unit-groups.ts';

// node stack/testing/run.ts unit|all: runs the tests, shows their progress, and ends with the line `N passed, N failed`.
// `all --record` writes the seconds that each test file took.
const say = (line: string) => process.stdout.write(`${line}\n`);
const KILL_AFTER_MS = 20_000;

let interrupted: NodeJS.Signals | null = null;
const interruption = new AbortController();
const running = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted = signal;
    interruption.abort();
    // ava stops its workers only on SIGINT.
    for (const group of running) process.kill(group, 'SIGINT');
    setTimeout(() => {
      for (const group of running) signalGroup(group, 'SIGKILL');
    }, KILL_AFTER_MS).unref();
  });
}

/**
 * Runs a program in its own process group and counts its test results. A program that fails without a failed test
 * counts as one failure.
 */
const run = async (
  title: string,
  command: string,
  args: readonly string[],
  tap: boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<TapTally> => {
  if (interrupted !== null) return EMPTY_TALLY;
  say(`\n${title}`);
  let tally = EMPTY_TALLY;
  const outputLines: string[] = [];
  const child = execa(command, [...args], {
    env: { ...launcherEnvironment(process.env), ...env },
    stdin: 'ignore',
    stderr: 'inherit',
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  readLines(child.stdout, (line) => {
    if (tap) tally = countTapLine(tally, line);
    else outputLines.push(line);
    const shown = tap ? tapLineText(line) : line;
    if (shown !== null) say(shown);
  });
  const result = await child;
  // Kills the rest of the process group, because a process must not outlive its test.
  if (pid !== undefined && running.delete(pid)) signalGroup(pid, 'SIGKILL');
  if (!result.failed) return tap ? tally : { ...EMPTY_TALLY, passed: 1 };
  return tally.failed > 0 ? tally : addTallies(tally, tallyOfFailure(title, outputLines));
};

const ava = async (
  title: string,
  patterns: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<TapTally> => {
  return globSync(patterns).length === 0
    ? EMPTY_TALLY
    : run(title, process.execPath, ['node_modules/ava/entrypoints/cli.js', '--tap', ...args, ...patterns], true, env);
};

/** If servers do not start, that counts as one failure. Started servers are stopped after the tests in any case. */
const withServers = async (
  starting: Promise<SharedServers>,
  work: (env: Readonly<Record<string, string>>) => Promise<TapTally>,
): Promise<TapTally> => {
  try {
    const servers = await starting;
    try {
      return await work(servers.env);
    } finally {
      await servers.stop();
    }
  } catch (error) {
    if (interruption.signal.aborted) return EMPTY_TALLY;
    const title = `The servers of the tests: ${error instanceof Error ? error.message : String(error)}`;
    return tallyOfFailure(title);
  }
};

const began = Date.now();
const everything = process.argv[2] === 'all';
const times = everything && process.argv.includes('--record') ? join(ROOT, '.local', 'test-times') : null;
if (times !== null) {
  rmSync(times, { recursive: true, force: true });
  mkdirSync(times, { recursive: true });
  process.env[TIMES_FOLDER] = times;
}
let total = EMPTY_TALLY;
/** The servers start while the checks run, because starting takes long. */
const starting = everything ? startSharedServers(interruption.signal) : null;
starting?.catch(() => undefined);
/** The checks run in parallel with the unit tests, which do not always keep two cores busy. */
const checking = everything ? run('Checks', 'npm', ['run', '--silent', 'check'], false) : EMPTY_TALLY;
total = addTallies(total, await ava('Unit tests', [writeUnitGroups()], ['--concurrency', '3', '--timeout', '1m']));
total = addTallies(await checking, total);
if (starting !== null) {
  const args = ['--concurrency', '3', '--timeout', '10m'];
  const test = (env: Readonly<Record<string, string>>): Promise<TapTally> =>
    ava(
      'Tests with real servers',
      ['test/integration/**/*.test.ts', 'test/e2e/**/*.test.ts', 'test/chaos/**/*.test.ts'],
      args,
      env,
    );
  total = addTallies(total, await withServers(starting, test));
}

say('');
for (const { title, details } of total.failures) for (const line of [`failed: ${title}`, ...details]) say(line);
if (interrupted !== null) say(`interrupted by ${interrupted}`);
say(`in ${Math.round((Date.now() - began) / 1000)} s`);
// Failed tests end early or late, so their times would mislead.
if (times !== null && interrupted === null && total.failed === 0) writeRecordedTimes(times);
const summary = `${total.passed} passed, ${total.failed} failed`;
mkdirSync('.local', { recursive: true });
writeFileSync('.local/test-summary', `${summary}\n`);
say(summary);
process.exitCode = interrupted === null ? Number(total.failed > 0) : 128 + constants.signals[interrupted];
