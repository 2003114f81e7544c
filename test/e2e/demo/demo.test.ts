import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import { firstSteps } from '../../../stack/demo/first-steps.ts';
import { seedDemo } from '../../../stack/demo/seed.ts';
import { startStack } from '../../../stack/launcher.ts';
import { ROOT } from '../../../stack/servers/tools.ts';
import { RENDERCTL } from '../../helpers/renderctl.ts';
import { until } from '../../helpers/until.ts';

const WHOLE_WAY = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'];

let folder: string;
let dataDir: string;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a demo '));
  dataDir = join(folder, 'data');
});

test.after.always(() => rm(folder, { recursive: true, force: true }));

/** `make demo`, with a data folder of its own; `stack_file` says where a running stack would be found. */
const demo = (stack_file: string) =>
  execa(process.execPath, [join(ROOT, 'stack', 'demo', 'main.ts')], {
    cwd: folder,
    env: { DEMO_DATA_DIR: dataDir, DEMO_OUT_DIR: join(folder, 'out'), RENDERCTL_STACK_FILE: stack_file },
    reject: false,
    stdin: 'ignore',
    timeout: 240_000,
  });

const NO_STACK = '/nonexistent/stack.json';

const noProcessIsLeft = async (t: ExecutionContext): Promise<void> => {
  const { stdout } = await execa('ps', ['-eo', 'args']);
  t.deepEqual(
    stdout.split('\n').filter((line) => line.includes(dataDir)),
    [],
  );
};

test.serial('the demo renders a video through every status, and stops cleanly', async (t) => {
  t.timeout(300_000);
  const { exitCode, stdout, stderr } = await demo(NO_STACK);
  t.is(exitCode, 0, `${stdout}\n${stderr}`);

  const shown = [...stdout.matchAll(/^\S+Z {2}(\w+)$/gm)].map(([, status]) => status);
  t.deepEqual(shown, WHOLE_WAY);
  t.regex(stdout, /out\/demo\.mp4 {2}10\.0 s, 1280x720, h264 and aac, \d/);
  t.true((await stat(join(folder, 'out', 'demo.mp4'))).size > 100_000);
  t.deepEqual([...(await readFile(join(folder, 'out', 'demo-poster.jpg'))).subarray(0, 2)], [0xff, 0xd8]);

  for (const status of WHOLE_WAY) t.regex(stdout, new RegExp(`^\\d/\\d+ .* -> ${status} `, 'm'));
  t.regex(stdout, /The read model agrees with the log\./);
  const verified = stdout.match(/ verified {3}hook_[0-9a-f]{11}…$/gm) ?? [];
  t.is(verified.length, WHOLE_WAY.length + 1);
  t.true(stdout.includes(await firstSteps()));
  await noProcessIsLeft(t);
});

test.serial('Ctrl-C while it starts leaves no process', async (t) => {
  t.timeout(120_000);
  const running = demo(NO_STACK);
  let shown = '';
  running.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
  });
  await until('it starts', async () => shown.includes('Starting'));
  running.kill('SIGINT');
  t.is((await running).exitCode, 130);
  await noProcessIsLeft(t);
});

test.serial(
  'with a stack that runs, the lines that it prints work as pasted, and the demo uses that stack',
  async (t) => {
    t.timeout(300_000);
    const stack = await startStack({ dataDir });
    try {
      const kept = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
      const seeded = await seedDemo({ env: stack.env, kept_at: join(dataDir, 'demo.json') });
      t.deepEqual(seeded, kept, 'the demo before has left its key and project');
      const stack_file = join(folder, 'stack.json');
      const addresses = {
        kafka: stack.env.KAFKA_BROKERS,
        registry_url: stack.env.SCHEMA_REGISTRY_URL,
        mongodb_url: stack.env.MONGODB_URL,
        blob_connection_string: stack.env.AZURE_STORAGE_CONNECTION_STRING,
      };
      await writeFile(stack_file, JSON.stringify({ base_url: stack.base_url, ...seeded, ...addresses }));

      await symlink(RENDERCTL, join(folder, 'renderctl'));
      const script = `eval "$(./renderctl env)"\n${await firstSteps()}`;
      const pasted = await execa('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        env: { RENDERCTL_STACK_FILE: stack_file },
        reject: false,
        timeout: 120_000,
      });
      t.is(pasted.exitCode, 0, `${pasted.stdout}\n${pasted.stderr}`);
      t.regex(pasted.stdout, /RenderCompleted +accepted +-> complete/);
      t.true((await stat(join(folder, 'out', 'my-first-render.mp4'))).size > 100_000);

      const { exitCode, stdout, stderr } = await demo(stack_file);
      t.is(exitCode, 0, `${stdout}\n${stderr}`);
      t.regex(stdout, new RegExp(`^Using the stack that runs at ${stack.base_url}`));
      t.regex(stdout, /out\/demo\.mp4 {2}10\.0 s/);
    } finally {
      await stack.stop();
    }
    await noProcessIsLeft(t);
  },
);
