import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import { RENDERCTL } from '../../helpers/renderctl.ts';

const startService = async (t: ExecutionContext, listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
};

/** @param input null for no standard input */
const startLogIn = async (t: ExecutionContext, url: string, input: string | null) => {
  const folder = await mkdtemp(join(tmpdir(), 'log-in '));
  t.teardown(() => rm(folder, { recursive: true }));
  const env = { RENDERCTL_CONFIG_DIR: folder, RENDERCTL_STACK_FILE: '/nonexistent/stack.json' };
  const typed = input === null ? { stdin: 'ignore' as const } : { input };
  return { process: execa(RENDERCTL, ['log', 'in', '--url', url], { env, reject: false, ...typed }) };
};

const BEGUN = {
  ...{ device_code: 'd', user_code: 'ABCD-EFGH', verification_uri: 'https://id.example.com/device' },
  ...{ expires_in_s: 600, interval_s: 600 },
};

test('a key on standard input without --key is a usage error at once', async (t) => {
  const silent = await startService(t, () => undefined);
  const { exitCode, stdout, stderr } = await (await startLogIn(t, silent, '\nvr_secret\n')).process;
  t.is(exitCode, 2);
  t.is(stdout, '');
  t.regex(stderr, /^renderctl: standard input has text: .* add --key; .*< \/dev\/null/);
  t.notRegex(stderr, /vr_secret/);
});

test('Ctrl-C ends a log-in that waits for the browser at once', async (t) => {
  const service = await startService(t, (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(BEGUN));
  });
  const { process } = await startLogIn(t, service, null);
  for await (const line of process.iterable({ from: 'stderr' }))
    if (line.includes('Waiting for your approval')) process.kill('SIGINT');
  const { exitCode, stderr } = await process;
  t.is(exitCode, 130);
  t.regex(stderr, /\nrenderctl: interrupted$/);
});
