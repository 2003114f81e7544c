import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { FairTurns } from '../../../platform/http-server/fair-turns.ts';
import { paceInput } from '../../../platform/http-server/paced-input.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const turn = () => new Promise(setImmediate);

test('groups of work take turns within a time limit of an event loop turn', async (t) => {
  let now_ms = 0;
  const turns = new FairTurns<string>(2, () => now_ms);
  const done: string[] = [];
  const work = (name: string, more: () => void = () => undefined) => {
    return (): void => {
      done.push(name);
      now_ms += 1;
      more();
    };
  };
  turns.add('a', work('a1'));
  t.deepEqual(done, ['a1'], 'immediately if nothing waits');
  for (const name of ['a2', 'a3', 'a4']) turns.add('a', work(name));
  turns.add(
    'b',
    work('b1', () => turns.add('b', work('b2'))),
  );
  t.deepEqual(done, ['a1', 'a2']);
  await turn();
  t.deepEqual(done.slice(2), ['a3', 'b1']);
  await turn();
  t.deepEqual(done.slice(4), ['a4', 'b2']);
  await turn();
  await turn();
  turns.add('a', work('a5'));
  t.is(done.at(-1), 'a5', 'and immediately again');
});

const served = async (t: ExecutionContext, bytes: string) => {
  let [turns, now_ms] = [0, 0];
  const at: number[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    at.push(turns);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks).toString());
    response.end(request.url);
  });
  const slices = new FairTurns<number>(1, () => now_ms++);
  server.on('connection', (socket) => paceInput(socket, (parse) => slices.add(0, parse)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let running = true;
  const count = (): void => {
    turns += 1;
    if (running) setImmediate(count);
  };
  count();
  t.teardown(() => {
    running = false;
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk));
  client.write(bytes);
  const paths = (): readonly string[] =>
    [
      ...Buffer.concat(chunks)
        .toString()
        .matchAll(/\r\n\r\n(\/[a-z\d]+)/g),
    ].map(([, path = '']) => path);
  return { client, at, bodies, paths };
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('a packet of many requests is parsed in many turns and answered in order', async (t) => {
  const wanted = Array.from({ length: 1_000 }, (_, i) => `/${i}`);
  const { client, at, paths } = await served(t, wanted.map(get).join(''));
  await pollUntil('all are answered', async () => paths().length === wanted.length);
  t.deepEqual(paths(), wanted);
  const most = Math.max(...Object.values(Object.groupBy(at, String)).map((same) => same?.length ?? 0));
  t.true(most <= 80, `${most} requests in one turn`);
  client.end();
  await once(client, 'close');
});

test('a large body arrives whole, and so does the request after it', async (t) => {
  const body = 'x'.repeat(1_000_000);
  const post = `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { bodies, paths } = await served(t, `${post}${get('/b')}`);
  await pollUntil('both are answered', async () => paths().length === 2);
  t.deepEqual(paths(), ['/a', '/b']);
  t.true(bodies.includes(body));
});
