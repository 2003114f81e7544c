import { readFile } from 'node:fs/promises';
import type { ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderRequested } from '../../../domain/render/events.ts';
import { renderCollections } from '../../../read-models/collections.ts';
import { generationPointer } from '../../../read-models/generations.ts';
import type { RenderDocument } from '../../../read-models/renders/documents.ts';
import { keyedRequests } from '../../../render-commands/requesting/keyed-request.ts';
import type { ServerName } from '../../../stack/servers/servers.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type Answer, bearer, send, sendOnce } from './_client.ts';
import type { World } from './_world.ts';

const WAIT_MS = 60_000;

const posting = (api_key: string, idempotency_key: string, body: unknown) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { ...bearer(api_key), 'Content-Type': 'application/json', 'Idempotency-Key': idempotency_key },
});

/** Retries while the answer is 503, which creates no second render. */
export const postKeyed = (renders: string, api_key: string, idempotency_key: string, body: unknown): Promise<Answer> =>
  send(renders, posting(api_key, idempotency_key, body));

/** Returns the first answer, also a 503. */
export const postKeyedOnce: typeof postKeyed = (renders, api_key, idempotency_key, body) =>
  sendOnce(renders, posting(api_key, idempotency_key, body));

export const requestsOf = async ({ clients }: World, render_id: string): Promise<readonly RenderRequested[]> => {
  const { log } = clients.records;
  const requests: RenderRequested[] = [];
  for (const { partition, start, end } of await log.bounds('render-events')) {
    for await (const { key, value } of log.replay('render-events', partition, start, end)) {
      if (key?.toString() !== render_id) continue;
      const decoded = await clients.records.decode(value);
      if (decoded.tag === 'record' && decoded.record.type === 'RenderRequested') requests.push(decoded.record);
    }
  }
  return requests;
};

export const logLength = async ({ clients }: World): Promise<number> =>
  (await clients.records.log.bounds('render-events')).reduce((sum, { end }) => sum + end, 0);

export const documentOf = async ({ clients }: World, _id: string): Promise<RenderDocument | null> => {
  const { db } = clients.store;
  const { renders } = renderCollections(await generationPointer(db, 'renders')());
  return await db.collection<RenderDocument>(renders).findOne({ _id });
};

export const appendRequest = async ({ clients }: World, event: RenderRequested): Promise<void> => {
  const appended = await clients.records.append('render-events', event.render_id, event);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

export const keyedBy = ({ renders, keys }: World, key: string, body: unknown, api_key = keys.ours): Promise<Answer> =>
  postKeyed(renders, api_key, key, body);

/** Returns the first answer, also a 503. */
export const keyedOnce = ({ renders, keys }: World, key: string, body: unknown): Promise<Answer> =>
  postKeyedOnce(renders, keys.ours, key, body);

export const oneRender = async (t: ExecutionContext<World>, render_id: string): Promise<void> => {
  const document = await pollUntil('the request is folded', () => documentOf(t.context, render_id), WAIT_MS);
  const accepted = document.facts.filter(({ verdict }) => verdict === 'accepted');
  t.is(accepted.length, 1);
  t.is(document.render?.seq, 1);
};

/** The render id and the hash that an API derives for a key of acc_1. */
export const derived = ({ stack }: World, key: string, body: unknown) => {
  const keyed = keyedRequests(stack.env.IDEMPOTENCY_SECRET ?? '')('acc_1', key, body);
  if (E.isLeft(keyed)) throw new Error(keyed.left);
  const { render_id, hashFor } = keyed.right;
  return { render_id, request_hash: hashFor(1) };
};

const standsStill = async (pid: number | null): Promise<boolean> =>
  /\) T /.test(await readFile(`/proc/${pid}/stat`, 'utf8'));

/** Sends SIGSTOP: the process keeps its connections open and does not answer, which is the worst case. */
export const whileFrozen = async (
  { stack }: World,
  whom: 'projectors' | ServerName,
  work: () => Promise<void>,
): Promise<void> => {
  const process = whom === 'projectors' ? stack.component(whom) : stack.server(whom);
  process.kill('SIGSTOP');
  try {
    await pollUntil('the process is stopped', () => standsStill(process.pid()));
    await work();
  } finally {
    process.kill('SIGCONT');
  }
};
