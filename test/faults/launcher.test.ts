import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MongoClient } from 'mongodb';
import { startStack } from '../../stack/launcher.ts';
import { parsePids } from '../../stack/process/pid-file.ts';
import { pidsWithVariable, processStartId } from '../../stack/process/process-id.ts';
import { PROCESS_MARK_VARIABLE } from '../../stack/process/supervised.ts';
import { ROOT } from '../../stack/servers/tools.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { startTestStack } from '../helpers/test-stack.ts';

const emptyFolder = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'a stack '));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const KILLED = ['kafka', 'store', 'blob'] as const;

const processesOf = (dataDir: string): readonly number[] =>
  pidsWithVariable(
    PROCESS_MARK_VARIABLE,
    createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16),
  );

const serves = async (url: string | null): Promise<boolean> =>
  (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) })).status === 200;

test.serial('the launcher restarts a crashed process and leaves no process after a stop', async (t) => {
  t.timeout(240_000);
  const dataDir = emptyFolder(t);
  const stack = await startTestStack({ dataDir, workers: 2, own_servers: KILLED });
  t.teardown(() => stack.stop());
  t.is((await fetch(`${stack.base_url}/v1/teams`)).status, 401);
  t.true(await serves(stack.component('worker-2').health_url));

  for (const one of [stack.component('query-api'), stack.component('worker'), stack.server('blob')]) {
    const pid = one.pid();
    one.kill('SIGKILL');
    await pollUntil(`${one.name} has another pid`, async () => one.pid() !== null && one.pid() !== pid);
    await one.untilReady();
    t.is(one.restarts(), 1, one.name);
  }
  await pollUntil('the gateway reaches all components again', () => serves(stack.component('gateway').health_url));
  t.is(stack.component('gateway').restarts(), 0);
  t.is(stack.component('projectors').restarts(), 0);

  await t.throwsAsync(startStack({ dataDir, components: [] }), { message: /A stack is already running on / });
  t.true(processesOf(dataDir).length >= 12);

  await stack.stop();
  t.deepEqual(processesOf(dataDir), []);
  t.false(existsSync(join(dataDir, 'pids')));
  await t.throwsAsync(fetch(stack.base_url));
});

test.serial('an open transaction of a killed projector blocks no writer', async (t) => {
  t.timeout(240_000);
  // An older configuration gives every component a PORT; a component without a public interface ignores it.
  const env = { PORT: 'none' };
  const components = ['projectors'];
  const stack = await startTestStack({ dataDir: emptyFolder(t), components, env, own_servers: ['store'] });
  t.teardown(() => stack.stop());
  t.is(stack.component('projectors').url, null);
  const client = new MongoClient(stack.env.MONGODB_URL ?? '', { socketTimeoutMS: 20_000 });
  t.teardown(() => client.close());
  const notes = client.db('stack-test').collection<{ _id: number; n: number }>('notes');
  await notes.insertOne({ _id: 1, n: 0 });

  const session = client.startSession();
  session.startTransaction();
  await notes.updateOne({ _id: 1 }, { $set: { n: 1 } }, { session });

  const projectors = stack.component('projectors');
  const pid = projectors.pid();
  projectors.kill('SIGKILL');
  await pollUntil('projectors has another pid', async () => projectors.pid() !== null && projectors.pid() !== pid);
  await notes.updateOne({ _id: 1 }, { $set: { n: 2 } });
  t.is((await notes.findOne({ _id: 1 }))?.n, 2);
});

test.serial('an interrupted start leaves no process', async (t) => {
  t.timeout(120_000);
  const dataDir = emptyFolder(t);
  for (const after_ms of [50, 1_500, 4_000]) {
    const interruption = new AbortController();
    const timer = setTimeout(() => interruption.abort(new Error('enough')), after_ms);
    const starting = startTestStack({ dataDir, signal: interruption.signal, own_servers: KILLED });
    await t.throwsAsync(starting, { message: 'enough' }, `${after_ms} ms`);
    clearTimeout(timer);
    t.deepEqual(processesOf(dataDir), [], `${after_ms} ms`);
  }
});

test.serial('a new start stops the processes of a killed launcher and keeps its data', async (t) => {
  t.timeout(120_000);
  const dataDir = emptyFolder(t);
  const launcher = spawn(process.execPath, [join(ROOT, 'stack/servers/main.ts'), '--data', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => launcher.kill('SIGKILL'));
  let printed = '';
  launcher.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await pollUntil('the servers are up', async () => printed.includes('AZURE_STORAGE_CONNECTION_STRING'), 90_000);
  const left = parsePids(readFileSync(join(dataDir, 'pids'), 'utf8')).filter((one) => one.pid !== launcher.pid);
  t.is(left.length, 4);
  launcher.kill('SIGKILL');
  await pollUntil('the processes have ended', async () => left.every((one) => processStartId(one.pid) === null));

  const stack = await startStack({ dataDir, components: [] });
  await stack.stop();
  t.deepEqual(processesOf(dataDir), []);
});
