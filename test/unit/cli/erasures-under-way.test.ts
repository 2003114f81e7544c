import test from 'ava';
import { openErasuresText, openErasuresUnderWay } from '../../../cli/erase/erasures-under-way.ts';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import type { Decoded } from '../../../platform/records/record-log.ts';
import { renderAfter } from '../webhook-relay/_plan.ts';

type Row = { readonly fact_type: string; readonly project_id: string };

/** A partition of `render-status`, and the position of `retention` in it. */
const world = () => {
  const rows: (Row | null)[] = [];
  let [position, reads] = [0, 0];
  const underWay = openErasuresUnderWay(
    {
      records: {
        log: {
          bounds: async () => [{ partition: 0, start: 0, end: rows.length }],
          replay: async function* (topic, partition, from, to) {
            for (let offset = from; offset < to; offset += 1) {
              reads += 1;
              const value = Buffer.from(JSON.stringify(rows[offset]));
              yield { ...{ topic, partition, offset, append_time_ms: 0, key: null, headers: {} }, value } as LogRecord;
            }
          },
        },
        decode: async (value) => {
          const row: Row | null = JSON.parse(String(value));
          if (row === null) return { tag: 'poison', reason: 'damaged' } as Decoded;
          const render = { ...renderAfter(6), project_id: row.project_id };
          return { tag: 'record', record: { type: 'RenderFactAccepted', fact_type: row.fact_type, render } } as Decoded;
        },
      },
      positions: { load: async () => position },
    },
    ({ project_id }) => project_id === 'proj_1',
  );
  return {
    underWay,
    add: (fact_type: string, project_id = 'proj_1'): void => void rows.push({ fact_type, project_id }),
    addDamaged: (): void => void rows.push(null),
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
  const { underWay, add, addDamaged, advance } = world();
  add('RenderErased');
  add('RenderFailed');
  add('RenderErased', 'proj_2');
  addDamaged();
  add('RenderErased');
  t.is(await underWay(), 2);
  advance(1);
  t.is(await underWay(), 1);
  add('RenderErased');
  t.is(await underWay(), 2);
  advance(6);
  t.is(await underWay(), 0);
});

test('each look reads only new records, from the position of retention on', async (t) => {
  const { readsOf, add, advance } = world();
  for (let n = 0; n < 10; n += 1) add('RenderErased');
  advance(4);
  t.is(await readsOf(), 6);
  t.is(await readsOf(), 0);
  add('RenderErased');
  t.is(await readsOf(), 1);
});

test('erasures that projectors have not published yet are waited for', async (t) => {
  let count = 0;
  const text = openErasuresText('proj_1', async () => count);
  t.is(await text(), 'checking the keys and files of the renders of proj_1');
  count = 3;
  t.regex((await text()) ?? '', /keys and files "retention" has not deleted yet: 3$/);
  count = 0;
  t.is(await text(), null);
});
