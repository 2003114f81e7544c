import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { exportFaults } from '../helpers/export-faults.ts';
import { interleaved } from '../helpers/render-log.ts';
import { caller, RENDERCTL } from '../helpers/renderctl.ts';
import { appendAll, ids, startWorld, stopWorld, untilFold } from '../integration/projectors/_projectors.ts';

const RENDERS = 300;
const MORE = 5;
const KILLS = 24;
/**
 * Files that show the progress of an export. Each export is killed at its start, while it writes rows, or while it
 * moves its files.
 */
const ROWS = '.partial/rows';
const MANIFEST_MOVES = '.partial/manifest.json';
const MOMENTS = ['', '.partial', ROWS, MANIFEST_MOVES] as const;

/** Blocks until the condition is true. Moving the files takes a millisecond or two, so a timer would be too late. */
const spin = (until: () => boolean, bound_ms: number): void => {
  const end = performance.now() + bound_ms;
  while (!until() && performance.now() < end);
};

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

// The long form of the test that interrupts an export within its own process.
test('an export that is killed repeatedly continues without gaps or repeats', async (t) => {
  t.timeout(280_000);
  const world = await startWorld(['projectors']);
  t.teardown(() => stopWorld(world));
  const { clients, stack } = world;
  const folder = await mkdtemp(join(tmpdir(), 'export '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await appendAll(clients, interleaved(ids('E', RENDERS)));

  const env = { ...process.env, RENDERCTL_STACK_FILE: '/nonexistent/stack.json', ...stack.env };
  const killed = new Map<string, number>();
  for (let n = 0; n < KILLS; n += 1) {
    const moment = MOMENTS[n % MOMENTS.length] ?? '';
    const exporting = spawn(RENDERCTL, ['log', 'export', '--parquet', folder], { env, stdio: 'ignore' });
    const over = once(exporting, 'exit');
    if (moment === '') await pause(Math.random() * 1_500);
    else {
      const before = moment === MANIFEST_MOVES ? ROWS : moment;
      while (!existsSync(join(folder, before)) && !isOver(exporting)) await pause(1);
      if (moment === MANIFEST_MOVES) spin(() => existsSync(join(folder, moment)), 5_000);
      spin(() => false, Math.random());
    }
    if (exporting.kill('SIGKILL')) killed.set(moment, (killed.get(moment) ?? 0) + 1);
    await over;
    await appendAll(clients, interleaved(ids(`M${n}X`, MORE)));
  }
  t.log(Object.fromEntries(killed));
  for (const moment of MOMENTS) t.true((killed.get(moment) ?? 0) > 0, `an export was killed at "${moment}"`);
  await untilFold(clients, 1, 60_000);
  const renderctl = caller(stack.env);
  const { exit_code, stderr } = await renderctl('log', 'export', '--parquet', folder);
  t.is(exit_code, 0, stderr);
  t.deepEqual(await exportFaults(renderctl, clients.records.log, folder), []);
});
