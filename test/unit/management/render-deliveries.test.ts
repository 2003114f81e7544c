import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { listRenderDeliveries } from '../../../management-api/renders/details.ts';
import type { DeliveredRender } from '../../../read-models/deliveries/delivery-log.ts';

const LIVE = 20;
const DELETED = 10_000;

const endpoints = [
  ...Array.from({ length: DELETED }, (_, n) => ({ id: `whe_deleted_${n}`, deleted_at: 1_000 + n })),
  ...Array.from({ length: LIVE }, (_, n) => ({ id: `whe_live_${n}`, deleted_at: null })),
];

test("a render's deliveries are searched at current and recently deleted endpoints", async (t) => {
  const asked: DeliveredRender[] = [];
  const render = { id: 'rend_1', team_id: 'team_1', created_at: 500, seq: 3 };
  const parts = {
    renders: { find: async () => ({ render, facts: [], partition: 0, ignored_count: 0 }) },
    read_model: { endpoints: async () => endpoints },
    deliveries: {
      ofRender: async (one: DeliveredRender) => {
        asked.push(one);
        return [];
      },
    },
    tells_answers: false,
  };
  const answer = await listRenderDeliveries(Object.assign(Object.create(null), parts))(
    Object.assign(Object.create(null), { params: { render_id: 'rend_1' } }),
    Object.assign(Object.create(null), { team: { id: 'team_1' } }),
  );
  t.deepEqual(answer, E.right({ status: 200, body: { data: [] } }));
  const ids = asked.flatMap(({ endpoint_ids }) => endpoint_ids);
  t.is(ids.length, 100, 'ids of deliveries are computed and searched one after the other');
  for (let n = 0; n < LIVE; n += 1) t.true(ids.includes(`whe_live_${n}`));
  t.true(ids.includes(`whe_deleted_${DELETED - 1}`));
  t.false(ids.includes('whe_deleted_0'));
});
