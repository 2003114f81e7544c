import test from 'ava';
import type { AnsweredDelivery } from '../../../read-models/deliveries/answered-deliveries.ts';
import { deliverySweep } from '../../../retention/deliveries/delivery-sweep.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;
const NEVER = new AbortController().signal;

test('responses with a shorter retention are deleted by account, in parts', async (t) => {
  const clock = virtualClock();
  await clock.advance(10 * DAY_MS);
  const endpoints = { team_1: ['whe_1', 'whe_2'], team_2: ['whe_3'], team_3: [] } as const;
  const planned = new Map<string, Map<string, number>>([
    ['whe_1', new Map(Array.from({ length: 450 }, (_, n) => [`hook_1_${n}`, n < 430 ? DAY_MS : 9 * DAY_MS]))],
    ['whe_2', new Map([['hook_2', 6 * DAY_MS]])],
    ['whe_3', new Map([['hook_3', 6 * DAY_MS]])],
  ]);
  const forgotten: string[] = [];
  const told: unknown[] = [];
  const sweep = deliverySweep({
    retentions: async (from, count) =>
      [
        { account_id: 'acc_1', days: 3 },
        { account_id: 'acc_2', days: 5 },
      ]
        .filter(({ account_id }) => account_id > (from ?? ''))
        .slice(0, count),
    read_model: {
      teams: async (account_id) =>
        (account_id === 'acc_1' ? ['team_1', 'team_3'] : ['team_2']).map((id) => ({ id }) as never),
      endpoints: async (team_id) => endpoints[team_id as keyof typeof endpoints].map((id) => ({ id }) as never),
    },
    deliveries: {
      plannedBefore: async (endpoint_id, before, count): Promise<readonly AnsweredDelivery[]> =>
        Array.from(planned.get(endpoint_id) ?? [])
          .filter(([_id, at]) => at < before && !forgotten.includes(_id))
          .slice(0, count)
          .map(([_id]) => ({ _id, attempts: [] })),
      forgetAnswers: async (found) => {
        forgotten.push(...found.map(({ _id }) => _id));
      },
    },
    logger: { info: (what: object) => told.push(what) } as never,
    time: { now: async () => clock.now() },
  });
  const first = await sweep.page(null, NEVER);
  t.is(first.next, 'acc_1');
  t.is(forgotten.length, 431);
  t.true(forgotten.includes('hook_2'));
  t.is((await sweep.page('acc_1', NEVER)).next, 'acc_2');
  t.is(forgotten.length, 431, 'that account keeps it for five days');
  t.is((await sweep.page('acc_2', NEVER)).next, null);
  t.deepEqual(told, [{ account_id: 'acc_1', deliveries: 431 }]);
});
