import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { ConsumerPositionDocument } from '../../../platform/consumer-position/consumer-positions.ts';
import { COLLECTIONS } from '../../../schemas/read-models/collections.ts';
import { type Stack, startStack } from '../../../stack/launcher.ts';
import { freePort } from '../../../stack/process/ports.ts';
import { assigned, completed, failed, finished, prepared, progressed, requested } from '../../helpers/render-facts.ts';
import { openStackClients, type StackClients } from '../../helpers/stack-clients.ts';
import { until } from '../../helpers/until.ts';

const SECRET = 'whsec_dGVzdA==';

type Seen = { readonly at: number; readonly headers: IncomingHttpHeaders; readonly body: string };

/** What the endpoint was sent, and how it answers: 204 unless a test wants something else. */
const seen: Seen[] = [];
let answer: (delivery: Seen) => number = () => 204;

let folder: string;
let stack: Stack;
let clients: StackClients;
let endpoint: Server;

test.before(async (t) => {
  t.timeout(120_000);
  const port = await freePort();
  endpoint = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const delivery = { at: Date.now(), headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(delivery);
      response.writeHead(answer(delivery)).end();
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(port, '127.0.0.1', resolve));
  folder = await mkdtemp(join(tmpdir(), 'webhook relay '));
  stack = await startStack({
    dataDir: folder,
    components: ['projectors', 'webhook-relay'],
    env: {
      WEBHOOK_ENDPOINT_URL: `http://127.0.0.1:${port}/hooks`,
      WEBHOOK_ENDPOINT_SECRET: SECRET,
      WEBHOOK_ALLOW_PRIVATE: '1',
    },
  });
  clients = await openStackClients(stack.env);
});

test.beforeEach(() => {
  answer = () => 204;
});

test.after.always(async () => {
  await clients?.close();
  await stack?.stop();
  endpoint?.closeAllConnections();
  endpoint?.close();
  await rm(folder, { recursive: true, force: true });
});

const append = async (t: ExecutionContext, render_id: string, facts: readonly RenderEvent[]): Promise<void> => {
  for (const fact of facts) {
    const meta = { ...fact.meta, event_id: ulid() };
    t.true(E.isRight(await clients.records.append('render-events', render_id, { ...fact, meta, render_id })));
  }
};

const LIFE = [requested(), prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];

/** The deliveries about one render, in the order in which they came, parsed. */
const about = (render_id: string) =>
  seen.map((one) => ({ ...one, payload: JSON.parse(one.body) })).filter(({ payload }) => payload.data.id === render_id);

const untilDelivered = (render_id: string, count: number, bound_ms?: number) =>
  until(`${count} deliveries`, async () => about(render_id).length >= count && about(render_id), bound_ms);

/** That every transition so far is done with, as the store has it. */
const untilPositionsAtEnd = (): Promise<boolean> =>
  until('the positions are at the end', async () => {
    const positions = clients.store.db.collection<ConsumerPositionDocument>(COLLECTIONS.consumer_positions);
    for (const { partition, end } of await clients.records.log.bounds('render-status')) {
      const kept = await positions.findOne({ _id: `webhook-relay/render-status/${partition}` });
      if ((kept?.next ?? 0) < end) return false;
    }
    return true;
  });

test.serial('every transition of a life is delivered, in order, signed', async (t) => {
  const id = `rend_${ulid()}`;
  await append(t, id, LIFE);
  const deliveries = await untilDelivered(id, 7);
  t.is(deliveries.length, 7);
  const changes = deliveries.filter(({ payload }) => payload.event === 'render.status_changed');
  t.deepEqual(
    changes.map(({ payload }) => payload.data.status),
    ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'],
  );
  const complete = deliveries.find(({ payload }) => payload.event === 'render.complete');
  t.regex(complete?.payload.data.output.master, /^https?:\/\/.*master\.mp4\?.*sig=/);
  t.is(changes[4]?.payload.data.output, undefined);
  for (const { headers, body, payload } of deliveries) {
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    t.is(headers['x-webhook-signature'], signature);
    t.is(headers['x-webhook-id'], payload.id);
    t.is(headers['x-webhook-timestamp'], String(payload.timestamp));
    t.is(headers['user-agent'], 'Service-Webhooks/1.0');
    t.is(headers['content-type'], 'application/json');
  }
  t.is(new Set(deliveries.map(({ payload }) => payload.id)).size, 7);
  t.true(await untilPositionsAtEnd());
});

test.serial('a failure is told as one', async (t) => {
  const id = `rend_${ulid()}`;
  await append(t, id, [requested(), failed('preparer:prep_1', null)]);
  const events = (await untilDelivered(id, 3)).map(({ payload }) => [payload.event, payload.data.status]);
  t.deepEqual(events[0], ['render.status_changed', 'initializing']);
  t.deepEqual(events.slice(1).toSorted(), [
    ['render.failed', 'failed'],
    ['render.status_changed', 'failed'],
  ]);
});

test.serial('a retry has the same id and bytes, and later transitions do not wait for it', async (t) => {
  const id = `rend_${ulid()}`;
  let refusals = 1;
  answer = ({ body }) => {
    const { data } = JSON.parse(body);
    if (data.id !== id || data.status !== 'initializing' || refusals === 0) return 204;
    refusals -= 1;
    return 503;
  };
  await append(t, id, [requested(), prepared]);
  const deliveries = await untilDelivered(id, 3);
  t.deepEqual(
    deliveries.map(({ payload }) => payload.data.status),
    ['initializing', 'ready', 'initializing'],
  );
  t.is(deliveries[0]?.body, deliveries[2]?.body);
  t.true((deliveries[2]?.at ?? 0) - (deliveries[0]?.at ?? 0) >= 1_000);
  t.true(await untilPositionsAtEnd());
});

test.serial('a repeat in the log is no second delivery, and a record that is none stops nothing', async (t) => {
  const id = `rend_${ulid()}`;
  await append(t, id, [requested()]);
  await untilDelivered(id, 1);
  const own = (await clients.records.log.bounds('render-status')).map(({ partition, end }) => ({
    topic: 'render-status',
    partition,
    offset: end - 1,
  }));
  const last = (await clients.records.log.read(own)).find((record) => record?.key?.toString('utf8') === id);
  const { partition = 0, value } = last ?? {};
  for (const again of [value ?? Buffer.alloc(0), Buffer.from('no record')])
    t.true(E.isRight(await clients.records.log.append({ topic: 'render-status', partition, key: id, value: again })));
  t.true(await untilPositionsAtEnd());
  t.is(about(id).length, 1);
});

test.serial('killed while it owes deliveries, it makes them after its restart, under the same ids', async (t) => {
  t.timeout(90_000);
  const [stuck, next] = [`rend_${ulid()}`, `rend_${ulid()}`];
  answer = () => 500;
  await append(t, stuck, [requested()]);
  const [first] = await untilDelivered(stuck, 1);
  stack.component('webhook-relay').kill('SIGKILL');
  answer = () => 204;
  await append(t, next, [requested()]);
  const again = await untilDelivered(stuck, 2, 60_000);
  t.is(again.at(-1)?.payload.id, first?.payload.id);
  await untilDelivered(next, 1, 60_000);
  t.true(await untilPositionsAtEnd());
});
