import test from 'ava';
import { openErasuresText, openErasuresUnderWay } from '../../../cli/erase/erasures-under-way.ts';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import type { Decoded } from '../../../platform/records/record-log.ts';
import { renderAfter } from '../webhook-relay/_plan.ts';

/** A record of `render-events`. The fold ignores a second erasure of a render. */
type Event = { readonly type: string; readonly render_id: string; readonly project_id: string };

/** One partition of each topic, the read model, and the position of `retention` in `render-status`. */
const world = () => {
  const events: Event[] = [];
  /** Offsets of events; null for a damaged record. */
  const status: (number | null)[] = [];
  let [position, reads] = [0, 0];

  const isIgnored = (offset: number): boolean => {
    const { type, render_id } = events[offset] ?? {};
    return events.slice(0, offset).some((other) => other.type === type && other.render_id === render_id);
  };
  const renderOf = (project_id: string) => ({ ...renderAfter(6), project_id });
  const decoded = (topic: string, offset: number): Decoded => {
    const source_offset = topic === 'render-status' ? (status[offset] ?? null) : offset;
    const event = source_offset === null ? undefined : events[source_offset];
    if (event === undefined) return { tag: 'poison', reason: 'damaged' } as Decoded;
    const { type, render_id, project_id } = event;
    return topic === 'render-events'
      ? ({ tag: 'record', record: { type, render_id } } as Decoded)
      : ({
          tag: 'record',
          record: { type: 'RenderFactAccepted', fact_type: type, source_offset, render: renderOf(project_id) },
        } as Decoded);
  };

  const underWay = openErasuresUnderWay(
    {
      records: {
        log: {
          bounds: async (topic) => [
            { partition: 0, start: 0, end: (topic === 'render-status' ? status : events).length },
          ],
          replay: async function* (topic, partition, from, to) {
            for (let offset = from; offset < to; offset += 1) {
              reads += 1;
              const value = Buffer.from(JSON.stringify([topic, offset]));
              yield { ...{ topic, partition, offset, append_time_ms: 0, key: null, headers: {} }, value } as LogRecord;
            }
          },
        },
        decode: async (value) => decoded(...(JSON.parse(String(value)) as [string, number])),
      },
      positions: { load: async () => position },
      findErasure: async (render_id) => {
        const offset = events.findIndex((event) => event.type === 'RenderErased' && event.render_id === render_id);
        const found = events[offset];
        return found === undefined ? null : { render: renderOf(found.project_id), offset };
      },
    },
    ({ project_id }) => project_id === 'proj_1',
  );
  const append = (type: string, project_id = 'proj_1', render_id = `rend_${events.length}`): void =>
    void events.push({ type, project_id, render_id });
  return {
    ...{ underWay, append },
    /** Publishes what projectors have folded but not published. */
    publish: (): void => {
      const next = (status.findLast((offset) => offset !== null) ?? -1) + 1;
      for (let offset = next; offset < events.length; offset += 1) if (!isIgnored(offset)) status.push(offset);
    },
    publishDamaged: (): void => void status.push(null),
    advance: (to: number): void => {
      position = to;
    },
    readsOf: async (): Promise<number> => {
      const before = reads;
      await underWay();
      return reads - before;
    },
  };
};

test('erasures count until retention has passed them, others do not count', async (t) => {
  const { underWay, append, publish, publishDamaged, advance } = world();
  append('RenderErased');
  append('RenderFailed');
  append('RenderErased', 'proj_2');
  publish();
  publishDamaged();
  append('RenderErased');
  publish();
  t.is(await underWay(), 2);
  advance(1);
  t.is(await underWay(), 1);
  append('RenderErased');
  publish();
  t.is(await underWay(), 2);
  advance(6);
  t.is(await underWay(), 0);
});

test('each look reads only new records, from the position of retention on', async (t) => {
  const { readsOf, append, publish, advance } = world();
  for (let n = 0; n < 10; n += 1) append('RenderErased');
  publish();
  advance(4);
  t.is(await readsOf(), 6);
  t.is(await readsOf(), 0);
  append('RenderErased');
  t.is(await readsOf(), 1, 'as an event');
  publish();
  t.is(await readsOf(), 1, 'as a status record');
});

for (const published of [0, 2])
  test(`erasures that projectors publish late are waited for, after ${published} published ones`, async (t) => {
    const { underWay, append, publish, advance } = world();
    for (let n = 0; n < published; n += 1) append('RenderErased');
    publish();
    advance(published);
    append('RenderErased');
    append('RenderErased', 'proj_2');
    t.is(await underWay(), 1);
    t.is(await underWay(), 1);
    publish();
    t.is(await underWay(), 1);
    advance(published + 2);
    t.is(await underWay(), 0);
  });

test('a repeated erasure, which is never published, is not waited for', async (t) => {
  const { underWay, append, publish, advance } = world();
  append('RenderErased', 'proj_1', 'rend_0');
  publish();
  advance(1);
  append('RenderErased', 'proj_1', 'rend_0');
  t.is(await underWay(), 0);
});

test('the line of progress has the number of erasures under way', async (t) => {
  let count = 3;
  const text = openErasuresText('proj_1', async () => count);
  t.regex((await text()) ?? '', /keys and files "retention" has not deleted yet: 3$/);
  count = 0;
  t.is(await text(), null);
});
