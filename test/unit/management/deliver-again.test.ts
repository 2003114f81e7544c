import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { deliverAllAgain } from '../../../management-api/deliveries/request-deliveries.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';

const PAGE = 200;
const MAX_PAGES = 100;

const endpoint = {
  ...{ kind: 'webhook_endpoint', id: 'whe_1', team_id: 'team_1', url: 'https://a.example/', created_at: 0 },
  ...{ subscriptions: [], disabled: [], secret: '', next_secret: null, deleted_at: null },
};

const asked = async (since: number) => {
  let read = 0;
  const parts = {
    read_model: { find: async () => endpoint, failing: async () => null },
    records: { append: async () => E.right({}) },
    deliveries: {
      pages: async function* ({ from }: { readonly from: number }) {
        for (let at = from; read < MAX_PAGES; at += 1) {
          read += 1;
          yield Array.from({ length: PAGE }, () => ({ planned_at: at, status_offset: 1, repeated_by: 'whd_again' }));
        }
      },
    },
    clock: SYSTEM_CLOCK,
  };
  const answer = await deliverAllAgain(Object.assign(Object.create(null), parts))(
    Object.assign(Object.create(null), {
      ...{ params: { endpoint_id: 'whe_1' }, headers: {} },
      json: async () => E.right({ since }),
    }),
    Object.assign(Object.create(null), { team: { id: 'team_1' }, person: { user_id: 'user_1' } }),
  );
  return { answer, read };
};

test('if all deliveries were repeated before, one request reads a part and continues', async (t) => {
  const { answer, read } = await asked(1_000);
  t.true(read < MAX_PAGES, 'the request does not read without a limit');
  t.deepEqual(
    answer,
    E.right({ status: 202, body: { requested: 0, repeated_before: read * PAGE, go_on_since: 1_000 + read - 1 } }),
  );
});
