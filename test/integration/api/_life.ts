import * as E from 'fp-ts/lib/Either.js';
import { isRenderEvent, type RenderEvent } from '../../../domain/render/events.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import type { Answer } from './_client.ts';
import { get, type World } from './_world.ts';

export const append = async ({ clients }: World, render_id: string, events: readonly RenderEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

export const untilStatus = (world: World, render_id: string, status: string): Promise<Answer> =>
  pollUntil(`${render_id} is ${status}`, async () => {
    const answer = await get(world, `renders/${render_id}`);
    return Object(answer.body).status === status ? answer : null;
  });

export const eventsOf = async ({ clients }: World, render_id: string) => {
  const events: {
    readonly record: RenderEvent;
    readonly bytes: Buffer;
    readonly headers: Readonly<Record<string, string>>;
  }[] = [];
  for (const { partition, start, end } of await clients.records.log.bounds('render-events')) {
    for await (const { key, value, headers } of clients.records.log.replay('render-events', partition, start, end)) {
      if (key?.toString() !== render_id || value === null) continue;
      const decoded = await clients.records.decode(value);
      if (decoded.tag !== 'record') throw new Error(decoded.reason);
      const { record } = decoded;
      if (isRenderEvent(record)) events.push({ record, bytes: value, headers });
    }
  }
  return events;
};

export const requestOf = async (world: World, render_id: string) => {
  const events = await eventsOf(world, render_id);
  const [first, ...more] = events.flatMap(({ record, ...rest }) =>
    record.type === 'RenderRequested' ? [{ ...rest, record }] : [],
  );
  if (first === undefined || more.length > 0) throw new Error('not one request');
  return first;
};

/** The number of render requests in the log: a refused request does not change it. */
export const requestsIn = async ({ clients }: World): Promise<number> => {
  let count = 0;
  for (const { partition, start, end } of await clients.records.log.bounds('render-events')) {
    for await (const { value } of clients.records.log.replay('render-events', partition, start, end)) {
      if (value === null) continue;
      const decoded = await clients.records.decode(value);
      if (decoded.tag === 'record' && decoded.record.type === 'RenderRequested') count += 1;
    }
  }
  return count;
};
