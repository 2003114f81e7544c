import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import test from 'ava';
import * as io from 'io-ts';
import { waitUntil } from '../../../stack/process/wait.ts';
import { openGateway } from './_gateway.ts';

const echo = (name: string, port: number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      const body = await text(request);
      if (body.includes('break off')) return void request.socket.destroy();
      response.writeHead(request.url === '/v1/renders' ? 201 : 200, {
        Link: name,
        'X-Echo': name,
        'X-Request-Id': `id of ${name}`,
      });
      response.end(
        JSON.stringify({ name, method: request.method, url: request.url, body, key: request.headers.authorization }),
      );
    }).listen(port, '127.0.0.1', () => resolve(server));
  });

const Body = io.record(io.string, io.unknown);

const readBody = async (response: Response): Promise<Readonly<Record<string, unknown>>> => {
  const body: unknown = await response.json();
  if (!Body.is(body)) throw new Error(`no JSON object: ${JSON.stringify(body)}`);
  return body;
};

const text = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

test.serial('writes go to the command API and reads to the query API, unchanged', async (t) => {
  t.timeout(30_000);
  const gateway = await openGateway();
  t.teardown(() => gateway.child.kill('SIGKILL'));
  const apis = [await echo('commands', gateway.commands), await echo('queries', gateway.queries)];
  t.teardown(() => {
    for (const api of apis) api.close();
  });
  t.is((await fetch(`${gateway.health_url}/health/ready`)).status, 200);

  const posted = await fetch(`${gateway.url}/v1/renders`, {
    method: 'POST',
    body: '{"ü": 1}',
    headers: { Authorization: 'Bearer mine' },
  });
  t.is(posted.status, 201);
  t.is(posted.headers.get('link'), 'commands');
  t.is(posted.headers.get('x-echo'), null, 'internal details for operators only');
  t.is(posted.headers.get('x-request-id'), 'id of commands', "the API's own id, which is in its log");
  t.deepEqual(await readBody(posted), {
    name: 'commands',
    method: 'POST',
    url: '/v1/renders',
    body: '{"ü": 1}',
    key: 'Bearer mine',
  });

  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const own = await fetch(`${gateway.url}/v1/renders`, { method });
    t.is(own.headers.get('allow'), 'GET, HEAD, OPTIONS, POST', method);
    t.is(own.headers.get('link'), null, method);
  }
  for (const method of ['GET', 'HEAD']) {
    t.is((await fetch(`${gateway.url}/v1/renders/x`, { method })).headers.get('link'), 'queries', method);
  }
  const got = await readBody(await fetch(`${gateway.url}/v1/renders/r%20x?cursor=a%2Fb&x=`));
  t.is(got.url, '/v1/renders/r%20x?cursor=a%2Fb&x=');

  const elsewhere = await fetch(`${gateway.url}/admin`);
  t.is(elsewhere.status, 404);
  t.is(typeof (await readBody(elsewhere)).error, 'string');
});

test.serial('an unavailable API gives 503 before sending and 502 after it', async (t) => {
  t.timeout(30_000);
  const gateway = await openGateway();
  t.teardown(() => gateway.child.kill('SIGKILL'));
  t.is((await fetch(`${gateway.health_url}/health/ready`)).status, 503);

  const away = await fetch(`${gateway.url}/v1/renders`, { method: 'POST', body: '{}' });
  t.is(away.status, 503);
  t.is(away.headers.get('retry-after'), '1');
  t.is(away.headers.get('cache-control'), 'no-store');
  t.regex(String((await readBody(away)).error), /nothing was changed/);

  const api = await echo('commands', gateway.commands);
  t.teardown(() => api.close());
  const broken = await fetch(`${gateway.url}/v1/renders`, { method: 'POST', body: 'break off' });
  t.is(broken.status, 502);
  t.regex(String((await readBody(broken)).error), /outcome is unknown.*may have been carried out/);
  t.is((await fetch(`${gateway.url}/v1/renders`, { method: 'POST', body: '{}' })).status, 201);
});

test.serial('after SIGTERM the gateway is not ready, finishes requests, then ends', async (t) => {
  t.timeout(30_000);
  const gateway = await openGateway();
  t.teardown(() => gateway.child.kill('SIGKILL'));
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const api = createServer(async (request, response) => {
    if (request.method === 'GET') {
      asked.resolve();
      await held.promise;
    }
    response.end('{}');
  }).listen(gateway.queries, '127.0.0.1');
  t.teardown(() => api.close());

  const underWay = fetch(`${gateway.url}/v1/teams`);
  await asked.promise;
  const exit = once(gateway.child, 'exit');
  gateway.child.kill('SIGTERM');
  await waitUntil(
    async () => {
      const body = await readBody(await fetch(`${gateway.health_url}/health/ready`));
      return JSON.stringify(body.missing).includes('the component is stopping');
    },
    { timeout_ms: 5_000, message: () => 'it does not say that it stops' },
  );
  await t.throwsAsync(fetch(`${gateway.url}/v1/teams`), undefined, 'no new request is accepted');
  t.is((await fetch(`${gateway.health_url}/health/live`)).status, 200);
  held.resolve();
  t.is((await underWay).status, 200);
  t.deepEqual(await exit, [0, null]);
  await t.throwsAsync(fetch(`${gateway.health_url}/health/live`));
});

test.serial('health and metrics are served at a separate port only', async (t) => {
  t.timeout(30_000);
  const gateway = await openGateway();
  t.teardown(() => gateway.child.kill('SIGKILL'));
  for (const path of ['/health/live', '/health/ready', '/metrics']) {
    const answer = await fetch(`${gateway.url}${path}`);
    t.is(answer.status, 404, path);
    t.deepEqual(await readBody(answer), { error: `there is no ${path}`, code: 'unknown_path' });
  }
  t.is((await fetch(`${gateway.health_url}/health/live`)).status, 200);
  t.regex(await (await fetch(`${gateway.health_url}/metrics`)).text(), /^process_cpu_seconds_total/m);
  t.is((await fetch(`${gateway.health_url}/v1/teams`)).status, 404);
});

test.serial('headers are limited, and the gateway stops within a second', async (t) => {
  t.timeout(30_000);
  const gateway = await openGateway();
  t.teardown(() => gateway.child.kill('SIGKILL'));
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.once('data', (chunk) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.write(`GET /v1/x HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
  });
  t.regex(answer, /^HTTP\/1.1 431 /);
  t.regex(answer, /\{"error":"[^"]+","code":"headers_too_large"\}$/);

  const began = Date.now();
  gateway.child.kill('SIGTERM');
  await new Promise((resolve) => gateway.child.once('exit', resolve));
  t.is(gateway.child.exitCode, 0);
  t.true(Date.now() - began < 1_000);
});
