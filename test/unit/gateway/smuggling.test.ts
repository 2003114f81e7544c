import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { gatewayIn } from './_gateway.ts';
import { CASES, type Case } from './_smuggling.ts';

type Seen = { readonly method: string; readonly url: string; readonly key: string };

const anApi = async (t: ExecutionContext) => {
  const seen: Seen[] = [];
  const api = createServer(async (request, response) => {
    for await (const _ of request);
    const asked = {
      method: request.method ?? '',
      url: request.url ?? '',
      key: request.headers.authorization ?? 'none',
    };
    seen.push(asked);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(asked));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  t.teardown(() => {
    api.closeAllConnections();
    api.close();
  });
  const { port } = api.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
};

const DRAIN_TIMEOUT_MS = 10_000;

const statusesIn = (text: string): readonly number[] =>
  Array.from(text.matchAll(/(?:^|\})HTTP\/1\.1 (\d{3}) /gm), ([, status]) => Number(status));

const attack = (
  url: string,
  { bytes, statuses, ends }: Case,
): Promise<{ readonly text: string; readonly ended: boolean }> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    const settle = (ended: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, ended });
    };
    const timer = setTimeout(() => settle(false), DRAIN_TIMEOUT_MS);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (!ends && statusesIn(text).length >= statuses.length && text.endsWith('}')) settle(false);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => settle(true));
    socket.write(bytes, 'latin1');
  });

const others = ['ana', 'ben', 'cem'] as const;

test('any bytes give each client its own answers, and the API only real requests', async (t) => {
  t.timeout(120_000);
  t.true(CASES.length >= 60);
  const api = await anApi(t);
  const { url } = await gatewayIn(t, { env: { COMMAND_API_URL: api.url, QUERY_API_URL: api.url } });
  let asked = 0;
  const askAs = async (name: string, method: 'GET' | 'POST', during: string): Promise<void> => {
    asked += 1;
    const path = method === 'GET' ? `/v1/teams/${name}?n=${asked}` : `/v1/renders?n=${asked}`;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${name}` },
      ...(method === 'GET' ? {} : { body: `{"of":"${name}"}` }),
    });
    t.deepEqual(await answer.json(), { method, url: path, key: `Bearer ${name}` }, during);
  };

  for (const one of CASES) {
    const meanwhile = others.map((name, i) => askAs(name, i === 1 ? 'POST' : 'GET', one.name));
    const { text, ended } = await attack(url, one);
    await Promise.all(meanwhile);
    t.deepEqual(statusesIn(text), one.statuses, `${one.name}: ${text.slice(0, 300)}`);
    t.is(ended, one.ends, one.name);
    t.notRegex(text, /smuggled"|ana|ben|cem/, one.name);
    await Promise.all(others.map((name) => askAs(name, 'GET', `behind ${one.name}`)));
  }

  const ofAttacker = api.seen.filter(({ key }) => key === 'Bearer attacker');
  t.deepEqual(
    api.seen.filter(({ url, key }) => /smuggled/.test(url + key)),
    [],
  );
  t.is(api.seen.length - ofAttacker.length, asked, 'no request arrives that no client sent');
  const answered = CASES.flatMap(({ statuses }) => statuses).filter((status) => status === 200).length;
  const unanswered = CASES.reduce((sum, one) => sum + (one.unanswered ?? 0), 0);
  // Requests on a closed connection may or may not have arrived.
  t.true(ofAttacker.length >= answered && ofAttacker.length <= answered + unanswered);
});
