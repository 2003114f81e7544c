import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { until } from '../../stack/testing/until.ts';
import { requested } from '../helpers/render-events.ts';
import { accountWith, atOnce, count, PRICE } from '../integration/api/_accounts.ts';
import { errorOf, postJson } from '../integration/api/_client.ts';
import { startCommandApi } from '../integration/api/_command-api.ts';
import { logLength } from '../integration/api/_keyed.ts';
import { startWorld, type World } from '../integration/api/_world.ts';

const test = anyTest as TestFn<World>;

const PAID = 100;
const ASKED = 300;
const MOST_LAG_S = 15;

test.before(async (t) => {
  t.timeout(180_000);
  t.context = await startWorld({ env: { CREDIT_LEDGER_LAG_S: String(MOST_LAG_S) } });
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stop?.();
});

test('while a partition of the ledger stands still nothing is spent twice, and soon nothing at all', async (t) => {
  t.timeout(180_000);
  const { clients, renders, stack } = t.context;
  const account = await accountWith(t.context, 'stopped', PAID * PRICE);
  const others = [await startCommandApi(stack.env), await startCommandApi(stack.env)];
  t.teardown(() => Promise.all(others.map(({ kill }) => kill())));
  const future = requested({ render_id: 'rend_future', fold_version: 99 });
  const stopping = await clients.records.append('render-events', 'rend_future', future);
  if (E.isLeft(stopping)) throw new Error(stopping.left.message);
  await until('the partition is stopped', async () => {
    const answer = await fetch(`${stack.component('projectors').health_url}/health/ready`);
    return /unknown fold_version/.test(await answer.text());
  });

  const before = await logLength(t.context);
  const urls = [renders, ...others.map((api) => api.renders)];
  const ask = (i: number) => postJson(urls[i % urls.length] ?? renders, account.key, account.body);
  const answers = await atOnce(ASKED, ask);
  const accepted = count(answers, 201);
  t.log(`${accepted} accepted, ${count(answers, 402)} not paid for, ${count(answers, 503)} not known`);
  t.true(accepted >= PAID / 2 && accepted <= PAID, `${accepted} accepted`);
  t.is(accepted + count(answers, 402) + count(answers, 503), ASKED);

  for (let i = 0; i < urls.length; i += 1) {
    const refusal = await until(
      'the ledger is too far behind',
      async () => {
        const answer = await ask(i);
        return answer.status === 503 && /behind the log/.test(answer.text) ? answer : null;
      },
      60_000,
    );
    t.regex(
      String(errorOf(refusal)),
      /^credits cannot be checked: the ledger is \d+ s behind the log; nothing happened/,
    );
    t.true(Number(refusal.headers.get('retry-after')) >= 1);
  }
  t.true((await logLength(t.context)) - before <= PAID);
});
