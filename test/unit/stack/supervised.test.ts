import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pidFile } from '../../../stack/process/pid-file.ts';
import { type Supervised, supervise } from '../../../stack/process/supervised.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const supervised = async (
  t: ExecutionContext,
  script: string,
  onCrash: (name: string) => void = () => undefined,
): Promise<Supervised> => {
  const folder = await mkdtemp(join(tmpdir(), 'supervised '));
  const one = supervise(
    {
      name: 'preparer',
      command: process.execPath,
      args: ['-e', script],
      cwd: folder,
      env: {},
      ready: async () => false,
      ready_timeout_ms: 60_000,
      grace_ms: 1_000,
    },
    {
      stackId: { data: `supervised-${process.pid}`, run: 'test' },
      logsDir: folder,
      pids: pidFile(join(folder, 'pids')),
      onLine: () => undefined,
      onCrash,
    },
  );
  t.teardown(async () => {
    await one.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return one;
};

test('a wait for a crashing process fails soon with its name and last lines', async (t) => {
  const one = await supervised(t, 'console.error("KAFKA_BROKERS: is required"); process.exit(3)');
  const began = performance.now();
  const fault = await t.throwsAsync(one.untilReady());
  t.regex(fault?.message ?? '', /^preparer crashed 3 times while starting \(exit code 3\)\. Its last lines:/);
  t.true(fault?.message.endsWith('preparer | KAFKA_BROKERS: is required'));
  t.true(performance.now() - began < 30_000);
});

test('a process that is killed during a forced stop is not restarted', async (t) => {
  const crashed: string[] = [];
  const one = await supervised(t, 'setInterval(() => undefined, 1_000)', (name) => crashed.push(name));
  await pollUntil('the process runs', async () => one.pid() !== null);
  one.killGroup();
  await pollUntil('the process has ended', async () => one.pid() === null);
  t.deepEqual(crashed, []);
  t.is(one.restarts(), 0);
});
