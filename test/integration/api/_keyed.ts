import * as E from 'fp-ts/lib/Either.js';
import type { RenderRequested } from '../../../domain/render/events.ts';
import { generationPointer } from '../../../platform/read-store/generation-pointer.ts';
import { renderCollections } from '../../../schemas/read-models/collections.ts';
import type { RenderDocument } from '../../../schemas/read-models/render-document.ts';
import { type Answer, bearer, send } from './_client.ts';
import type { World } from './_world.ts';

/** POST /v1/renders with an Idempotency-Key. */
export const postKeyed = (renders: string, api_key: string, idempotency_key: string, body: unknown): Promise<Answer> =>
  send(renders, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...bearer(api_key), 'Content-Type': 'application/json', 'Idempotency-Key': idempotency_key },
  });

/** Every request for this render that the log holds, in its order. */
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

/** How many records `render-events` holds. */
export const logLength = async ({ clients }: World): Promise<number> =>
  (await clients.records.log.bounds('render-events')).reduce((sum, { end }) => sum + end, 0);

/** The render's document as the projectors left it. */
export const documentOf = async ({ clients }: World, _id: string): Promise<RenderDocument | null> => {
  const { db } = clients.store;
  const { renders } = renderCollections(await generationPointer(db, 'renders')());
  return await db.collection<RenderDocument>(renders).findOne({ _id });
};

export const appendRequest = async ({ clients }: World, fact: RenderRequested): Promise<void> => {
  const appended = await clients.records.append('render-events', fact.render_id, fact);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};
