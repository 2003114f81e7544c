import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import * as codec from 'io-ts';
import { firstSteps, webhookSteps } from '../../../demo/first-steps.ts';
import { instancesOf } from '../../../stack/components.ts';
import { freePort } from '../../../stack/process/ports.ts';
import { ROOT } from '../../../stack/servers/tools.ts';
import type { StackPorts } from '../../../stack/stack-ports.ts';
import { resolveLocalhostNames } from '../../../stack/testing/localhost-names.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { freeStackPorts } from '../../helpers/free-ports.ts';
import { RENDERCTL } from '../../helpers/renderctl.ts';

resolveLocalhostNames();

const WHOLE_WAY = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'];

/** The demo's line about a delivery with valid signatures. */
const VERIFIED = / verified {3}hook_[0-9a-f]{11}…$/m;

let folder: string;
let dataDir: string;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a demo '));
  dataDir = join(folder, 'data');
});

test.after.always(() => rm(folder, { recursive: true, force: true }));

/** `make demo`, with a data folder of its own. `stack_file` has the address of a running stack, if it exists. */
const demo = (stack_file: string) =>
  execa(process.execPath, [join(ROOT, 'demo', 'main.ts')], {
    cwd: folder,
    env: { DEMO_DATA_DIR: dataDir, DEMO_OUT_DIR: join(folder, 'out'), RENDERCTL_STACK_FILE: stack_file },
    reject: false,
    stdin: 'ignore',
    timeout: 240_000,
  });

const NO_STACK = '/nonexistent/stack.json';

const noProcessIsLeft = async (t: ExecutionContext): Promise<void> => {
  const left = async (): Promise<readonly string[]> => {
    const { stdout } = await execa('ps', ['-eo', 'args']);
    return stdout.split('\n').filter((line) => line.includes(dataDir));
  };
  // The guard checks only now and then whether the launcher still runs.
  await pollUntil('no process is left', async () => (await left()).length === 0).catch(() => undefined);
  t.deepEqual(await left(), []);
};

test.serial('the demo renders a video through every status, and stops cleanly', async (t) => {
  t.timeout(450_000);
  const { exitCode, stdout, stderr } = await demo(NO_STACK);
  t.is(exitCode, 0, `${stdout}\n${stderr}`);

  const shown = [...stdout.matchAll(/^\S+Z {2}(\w+)$/gm)].map(([, status]) => status);
  t.deepEqual(shown, WHOLE_WAY);
  t.regex(stdout, /out\/demo\.mp4 {2}10\.0 s, 1280x720, h264 and aac, \d/);
  t.true((await stat(join(folder, 'out', 'demo.mp4'))).size > 100_000);
  t.deepEqual([...(await readFile(join(folder, 'out', 'demo-poster.jpg'))).subarray(0, 2)], [0xff, 0xd8]);

  for (const status of WHOLE_WAY) t.regex(stdout, new RegExp(`^\\d/\\d+ .* -> ${status} `, 'm'));
  t.regex(stdout, /The read model matches the log\./);
  t.is(stdout.match(new RegExp(VERIFIED, 'gm'))?.length, WHOLE_WAY.length + 1);
  t.true(stdout.includes(await firstSteps()));
  await noProcessIsLeft(t);
});

/** Runs pasted lines. Background jobs end with the shell. */
const pasted = (script: string, env: Readonly<Record<string, string>>) =>
  execa('bash', ['-euo', 'pipefail', '-c', `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${script}`], {
    cwd: folder,
    env,
    reject: false,
    timeout: 120_000,
  });

const Listed = codec.type({ data: codec.array(codec.type({ url: codec.string })) });

/** `make start`, with a data folder and ports of its own. */
const start = (data: string, ports: StackPorts) =>
  execa(process.execPath, [join(ROOT, 'demo', 'start.ts')], {
    cwd: folder,
    env: {
      ...{ DEMO_DATA_DIR: data, PORT: `${ports.gateway}`, KAFKA_PORT: `${ports.kafka}` },
      ...{ REGISTRY_PORT: `${ports.registry}`, MONGODB_PORT: `${ports.store}`, BLOB_PORT: `${ports.blob}` },
      ...{ PROVIDER_PORT: `${ports.provider}`, FIRST_HEALTH_PORT: `${ports.first_health}` },
    },
    reject: false,
    stdin: 'ignore',
    timeout: 400_000,
  });

type Running = {
  readonly ports: StackPorts;
  /** The names of the component processes. */
  readonly names: readonly string[];
  readonly stack_file: string;
};

type RunningStack = { readonly base_url: string; readonly team_id: string; readonly sign_in_once_url: string };

/** The printed lines and the stack file describe the running stack, which keeps the demo's key and project. */
const checkStack = async (t: ExecutionContext, output: string, running: Running): Promise<RunningStack> => {
  const { ports, names, stack_file } = running;
  t.regex(output, /^Checking the demo project …$/m);
  t.false(output.includes('Creating an account'));
  const { base_url, health_urls, team_id, ...rest } = JSON.parse(await readFile(stack_file, 'utf8'));
  const kept = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  t.like({ ...rest, team_id }, kept, 'the demo before has left its key and project');
  t.is(base_url, `http://127.0.0.1:${ports.gateway}`);
  t.is(health_urls.gateway, `http://127.0.0.1:${ports.first_health + 6}`);
  t.deepEqual(Object.keys(health_urls).toSorted(), names.toSorted());
  for (const [name, url] of Object.entries(health_urls)) {
    t.true(output.includes(`${name} ${new URL(String(url)).port}`), name);
    t.is((await fetch(`${url}/metrics`)).status, 200, name);
  }
  return { base_url, team_id, sign_in_once_url: rest.sign_in_once_url };
};

const checkSignInLink = async (t: ExecutionContext, output: string, sign_in_once_url: string): Promise<void> => {
  const [, link = ''] = /^Sign in +(\S+)$/m.exec(output) ?? [];
  t.is(link, sign_in_once_url);
  t.regex(output, /^ +as Ada: this link works once, within 15 minutes$/m);
  const shown_page = await fetch(link);
  t.is(shown_page.status, 200);
  t.regex(await shown_page.text(), /This link works once/);
};

/** A second stack names the ports that are in use. */
const refuseUsedPorts = async (t: ExecutionContext, ports: StackPorts): Promise<void> => {
  const second = await start(join(folder, 'other data'), ports);
  t.is(second.exitCode, 1);
  const lines = second.stderr.trim().split('\n');
  t.is(lines.filter((line) => /^Port \d+ \(.*\) is in use by another program\. .* [A-Z_]+=…$/.test(line)).length, 6);
  t.regex(
    lines.at(-1) ?? '',
    /^Ports for health and metrics are in use: (\d+, ){11}\d+\. Choose other ports with FIRST_HEALTH_PORT=…/,
  );
  await rm(join(folder, 'other data'), { recursive: true });
};

/** Makes the folder look like a checkout of this project. */
const linkProject = async (): Promise<void> => {
  await symlink(RENDERCTL, join(folder, 'renderctl'));
  await symlink(join(ROOT, 'examples'), join(folder, 'examples'));
  await mkdir(join(folder, '.local'));
  await symlink(dataDir, join(folder, '.local', 'data'));
};

/** Lets renderctl find its stack. */
const ENV = 'eval "$(./renderctl env)"';

const pasteFirstSteps = async (t: ExecutionContext, stack_file: string): Promise<void> => {
  const saved = './renderctl render download "$RENDER_ID" -o out/saved.mp4';
  const same = 'cmp out/saved.mp4 out/my-first-render.mp4 && echo "the same"';
  const session = await pasted(`${ENV}\n${await firstSteps()}\n${saved}\n${same}`, {
    RENDERCTL_STACK_FILE: stack_file,
  });
  t.is(session.exitCode, 0, `${session.stdout}\n${session.stderr}`);
  t.regex(session.stdout, /RenderCompleted +accepted +-> complete/);
  t.true((await stat(join(folder, 'out', 'my-first-render.mp4'))).size > 100_000);
  t.regex(session.stdout, /^out\/saved\.mp4: \d.*\nthe same$/m);
};

const pasteWebhookSteps = async (t: ExecutionContext, stack_file: string): Promise<void> => {
  const steps = await webhookSteps();
  const receiver_port = String(await freePort());
  const script = steps.replace('localhost:9443', `localhost:${receiver_port}`);
  const tried = await pasted(`${ENV}\n${script}`, { RENDERCTL_STACK_FILE: stack_file, PORT: receiver_port });
  t.is(tried.exitCode, 0, `${tried.stdout}\n${tried.stderr}`);
  t.regex(tried.stdout, /^new render\.status_changed /m);
  t.regex(tried.stdout, /^hook_\w+ .* succeeded/m);
};

/** An interrupted demo removes its endpoint, and the endpoint of a demo that was killed before. */
const interruptDemo = async (t: ExecutionContext, stack_file: string, stack: RunningStack): Promise<void> => {
  const { base_url, team_id } = stack;
  const here = { RENDERCTL_STACK_FILE: stack_file };
  // The leftover of a killed demo: nothing listens there.
  const left = `https://127.0.0.1:${await freePort()}/receiver-of-the-demo`;
  const create = `./renderctl webhook create ${team_id} ${left} --all-events --json`;
  t.regex((await pasted(create, here)).stdout, /"secret": "whsec_/);
  const interrupted = demo(stack_file);
  let output = '';
  interrupted.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await pollUntil('it renders', async () => output.includes('Posted rend_'));
  t.regex(output, new RegExp(`^Using the running stack at ${base_url}`));
  await pollUntil('a webhook has come', async () => VERIFIED.test(output), 60_000);
  interrupted.kill('SIGINT');
  t.is((await interrupted).exitCode, 130);

  const { stdout: listed } = await pasted('./renderctl webhook list --json', here);
  const endpoints = Listed.decode(JSON.parse(listed));
  t.deepEqual(E.isRight(endpoints) && endpoints.right.data, [], 'no endpoint is left');
};

test.serial('the demo uses a running stack, and its printed lines work as pasted', async (t) => {
  t.timeout(400_000);
  const names = instancesOf(undefined, 1).map(({ name }) => name);
  const ports = await freeStackPorts(names);
  const stack_file = join(dataDir, 'stack.json');
  const stack = start(dataDir, ports);
  let output = '';
  stack.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  try {
    await pollUntil('it serves', async () => output.includes('Serving until Ctrl-C'), 120_000);
    const running = await checkStack(t, output, { ports, names, stack_file });
    await checkSignInLink(t, output, running.sign_in_once_url);
    await refuseUsedPorts(t, ports);
    await linkProject();
    await pasteFirstSteps(t, stack_file);
    await pasteWebhookSteps(t, stack_file);
    await interruptDemo(t, stack_file, running);
    stack.kill('SIGINT');
    await pollUntil('it says that it stops', async () => output.includes('Stopping …'));
  } finally {
    stack.kill('SIGINT');
  }
  // The second Ctrl-C ends it at once, without waiting for servers that are dead.
  const began = performance.now();
  const stopped = await stack;
  t.true(performance.now() - began < 15_000);
  t.is(stopped.exitCode, 0, stopped.stderr);
  t.regex(stopped.stdout, /Stopping …\nStopped\.$/);
  t.false((await readdir(dataDir)).includes('stack.json'));
  await noProcessIsLeft(t);
});
