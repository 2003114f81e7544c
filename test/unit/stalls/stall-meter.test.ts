import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { longStalls, stallOption, stallsIn } from '../../../stack/testing/stalls.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'stalls '));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

const startProgram = async (name: string, work: string) => {
  const program = join(folder, name, 'main.mjs');
  const file = join(folder, `${name} stalls`);
  mkdirSync(join(folder, name));
  writeFileSync(
    program,
    `process.stdin.once('data', () => {
       ${work}
       setTimeout(() => console.log('done'), 100);
     });
     setTimeout(() => console.log('ready'), 100);`,
  );
  const child = spawn(process.execPath, [stallOption(file), program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const since = Date.now();
  return { child, stalls: () => stallsIn(file, [name], since) };
};

test('work that blocks the event loop is recorded', async (t) => {
  t.timeout(60_000);
  const work =
    'const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end) for (let i = 0; i < 1e6; i += 1);';
  const { child, stalls } = await startProgram('busy', work);
  child.stdin.write('go\n');
  await once(child.stdout, 'data');
  t.regex(longStalls(stalls())[0] ?? '', /busy\/main\.mjs was blocked for \d{3,} ms/);
  child.kill('SIGKILL');
});

test('a process without CPU time does not count as blocked', async (t) => {
  t.timeout(60_000);
  const { child, stalls } = await startProgram('starved', '');
  child.kill('SIGSTOP');
  const stopped_at = Date.now();
  await pollUntil('the process was stopped for a while', async () => Date.now() - stopped_at > 1_000);
  child.kill('SIGCONT');
  child.stdin.write('go\n');
  await once(child.stdout, 'data');
  t.deepEqual(longStalls(stalls()), []);
  child.kill('SIGKILL');
});
