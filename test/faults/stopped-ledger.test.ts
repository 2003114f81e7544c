import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { requested } from '../helpers/render-events.ts';
import { type Account, accountWith, atOnce, count, PRICE } from '../integration/api/_accounts.ts';
import { type Answer, errorOf, postJsonOnce } from '../integration/api/_client.ts';
import { startCommandApi } from '../integration/api/_command-api.ts';
import { logLength } from '../integration/api/_keyed.ts';
import { startWorld, type World } from '../integration/api/_world.ts';

const test = anyTest as TestFn<World>;

const PAID = 100;
const ASKED = 300;
const FRESH = 40;
const MAX_LAG_S = 15;

test.before(async (t) => {
  t.timeout(180_000);
  t.context = await startWorld({ env: { CREDIT_LEDGER_LAG_S: String(MAX_LAG_S) } });
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stop?.();
});

const STOPS = 'rend_future';

const idIn = ({ body }: Answer): string => String(Object(body).id);

test('a stopped ledger partition refuses its renders, and no credit is spent twice', async (t) => {
  t.timeout(240_000);
  const { clients, renders, stack } = t.context;
  const partitions = await clients.records.log.partitions('render-events');
  const stopped = partitionOfKey(STOPS, partitions);
  const isStopped = (answer: Answer): boolean => partitionOfKey(idIn(answer), partitions) === stopped;
  const account = await accountWith(t.context, 'stopped', PAID * PRICE);
  const others = [await startCommandApi(stack.env), await startCommandApi(stack.env)];
  t.teardown(() => Promise.all(others.map(({ kill }) => kill())));
  const future = requested({ render_id: STOPS, fold_version: 99 });
  const stopping = await clients.records.append('render-events', STOPS, future);
  if (E.isLeft(stopping)) throw new Error(stopping.left.message);
  await pollUntil('the partition is stopped', async () => {
    const answer = await fetch(`${stack.component('projectors').health_url}/health/ready`);
    return /unknown fold_version/.test(await answer.text());
  });

  const before = await logLength(t.context);
  const urls = [renders, ...others.map((api) => api.renders)];
  const askOf =
    ({ key, body }: Account, from: readonly string[] = urls) =>
    (i: number) =>
      postJsonOnce(from[i % from.length] ?? renders, key, body);
  const answers = await atOnce(ASKED, askOf(account));
  const accepted = count(answers, 201);
  t.log(`${accepted} accepted, ${count(answers, 402)} not paid for, ${count(answers, 503)} not known`);
  t.true(accepted >= PAID / 2 && accepted <= PAID, `${accepted} accepted`);
  t.is(accepted + count(answers, 402) + count(answers, 503), ASKED);
  t.true(answers.filter(({ status }) => status === 201).some(isStopped));

  const ask = askOf(account);
  const refusal = await pollUntil(
    'renders of the stopped partition are refused',
    async () => {
      const answer = await ask(0);
      return answer.status === 503 && /behind the log/.test(answer.text) ? answer : null;
    },
    90_000,
  );
  t.regex(
    String(errorOf(refusal)),
    /^credits cannot be checked: the ledger is \d+ s behind the log; nothing was changed/,
  );
  t.true(Number(refusal.headers.get('retry-after')) >= 1);

  // An account with renders in the stopped partition spends its remaining credits in other partitions, each credit
  // once.
  const spent = async (): Promise<number> => (await logLength(t.context)) - before;
  await pollUntil(
    'all credits are spent',
    async () => {
      await atOnce(urls.length, ask);
      return (await spent()) >= PAID;
    },
    90_000,
  );
  const late = await atOnce(10 * urls.length, ask);
  t.is(count(late, 201), 0);
  t.is(await spent(), PAID);

  // An account without renders in the stopped partition also spends all its credits, although a killed process has one
  // of its leases.
  const fresh = await accountWith(t.context, 'fresh', FRESH * PRICE);
  const first = await atOnce(urls.length, askOf(fresh));
  await others[1]?.kill();
  const left = [renders, others[0]?.renders ?? renders];
  const all = [...first, ...(await atOnce(4 * FRESH, askOf(fresh, left)))];
  const taken = all.filter(({ status }) => status === 201);
  t.log(`${taken.length} of ${FRESH} accepted of another account, ${count(all, 503)} not known`);
  t.true(taken.length > 0 && taken.length <= FRESH, `${taken.length} accepted`);
  t.false(taken.some(isStopped));
  t.true((await spent()) <= PAID + FRESH);
});
