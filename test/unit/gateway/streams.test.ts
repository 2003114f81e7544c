import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { pollUntil } from '../../../stack/testing/until.ts';
import { gatewayIn } from './_gateway.ts';
import { line, rawClient, upstream } from './_upstream.ts';

const PATH = '/manage/v1/accounts/acc_1/changes';
const COOKIE = `Cookie: video_session=${'a'.repeat(43)}`;
/** Three hundred connections take a busy machine six seconds. */
const MANY_STREAMS_MS = 40_000;
const PART = 'x'.repeat(8 * 1024);
const MAX_BYTES = 64 * 1024 * 1024;

const streaming = async (t: ExecutionContext, env: Readonly<Record<string, string>> = {}, answer_ms = 20_000) => {
  const streams: { readonly response: ServerResponse; readonly last_event_id: unknown }[] = [];
  const { env: apis } = await upstream(t, ({ headers, url }, response) => {
    if (url !== PATH) return response.end('{}');
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
      'RateLimit-Limit': '100',
    });
    response.flushHeaders();
    streams.push({ response, last_event_id: headers['last-event-id'] });
    return response;
  });
  const stopping = new AbortController();
  const all = { ...apis, MANAGEMENT_API_URL: apis.COMMAND_API_URL, ...env };
  const { url } = await gatewayIn(t, { env: all, answer_ms, stopping: stopping.signal });
  return { url, streams, stopping };
};

test('parts of an event stream arrive at once, beyond the answer timeout', async (t) => {
  const { url, streams } = await streaming(t, { GATEWAY_ANSWER_TIMEOUT_S: '1' }, 1_000);
  const client = await rawClient(t, url, line('GET', PATH, COOKIE, 'Last-Event-ID: abc'));
  await pollUntil("the stream's head has arrived", async () => client.text().includes('\r\n\r\n'));
  t.regex(client.text(), /content-type: text\/event-stream/i);
  t.regex(client.text(), /x-accel-buffering: no/i);
  t.is(streams[0]?.last_event_id, 'abc');
  const began = performance.now();
  for (let n = 0; performance.now() - began < 1_500; n += 1) {
    streams[0]?.response.write(`data: ${n}\n\n`);
    await pollUntil('the part has arrived', async () => client.text().includes(`data: ${n}\n`));
  }
  t.false(client.socket.destroyed);
  streams[0]?.response.end();
  await pollUntil('the answer is complete', async () => client.text().endsWith('0\r\n\r\n'));
});

test('streams have their own connections and do not block other answers', async (t) => {
  const { url, streams } = await streaming(t, { GATEWAY_CONNECTIONS_PER_ADDRESS: '1000' });
  await Promise.all(Array.from({ length: 300 }, () => rawClient(t, url, line('GET', PATH, COOKIE))));
  await pollUntil('all streams are open', async () => streams.length === 300, MANY_STREAMS_MS);
  t.is((await fetch(`${url}/manage/v1/session`)).status, 200);
});

test('a stream ends on both sides when one side closes', async (t) => {
  const { url, streams } = await streaming(t);
  const gone = await rawClient(t, url, line('GET', PATH, COOKIE));
  await pollUntil('the stream is open', async () => streams.length === 1);
  const closed = once(streams[0]?.response ?? gone.socket, 'close');
  gone.socket.destroy();
  await closed;
  const client = await rawClient(t, url, line('GET', PATH, COOKIE));
  await pollUntil('the second stream is open', async () => streams.length === 2 && client.text().includes('\r\n\r\n'));
  streams[1]?.response.socket?.destroy();
  await client.over;
  t.false(client.text().endsWith('0\r\n\r\n'), 'not like a complete stream');
});

test('a client that does not read is disconnected after a while', async (t) => {
  const { url, streams } = await streaming(t, { GATEWAY_ANSWER_TIMEOUT_S: '1' });
  const client = await rawClient(t, url, line('GET', PATH, COOKIE));
  await pollUntil('the stream is open', async () => streams.length === 1);
  client.socket.pause();
  const response = streams[0]?.response;
  const closed = once(response ?? client.socket, 'close');
  let written = 0;
  const fill = (): void => {
    while (written < MAX_BYTES && response?.write(PART) === true) written += PART.length;
    written += PART.length;
  };
  response?.on('drain', () => written < MAX_BYTES && fill());
  fill();
  // Sockets buffer some MB; the gateway must not buffer the rest.
  await closed;
  t.true(written < MAX_BYTES, 'the API could not write without a limit');
});

test('streams end at once when the gateway stops', async (t) => {
  const { url, streams, stopping } = await streaming(t);
  const client = await rawClient(t, url, line('GET', PATH, COOKIE));
  await pollUntil('the stream is open', async () => streams.length === 1 && client.text().includes('\r\n\r\n'));
  const closed = once(streams[0]?.response ?? client.socket, 'close');
  stopping.abort();
  await closed;
  await pollUntil('the answer is complete', async () => client.text().endsWith('0\r\n\r\n'));
  t.pass();
});

test('a silent API loses its streams, and the client reconnects to another', async (t) => {
  const { url, streams } = await streaming(t, {}, 1_000);
  const client = await rawClient(t, url, line('GET', PATH, COOKIE));
  await pollUntil("the stream's head has arrived", async () => client.text().includes('\r\n\r\n'));
  await pollUntil('the client is disconnected', async () => client.socket.destroyed);
  t.false(client.text().endsWith('0\r\n\r\n'), 'not like a complete stream');
  t.is(streams.length, 1);
});
