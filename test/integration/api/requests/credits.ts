import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { assigned, completed, failed, finished, prepared, progressed } from '../../../helpers/render-events.ts';
import { type Account, accountWith, atOnce, count, granted, PRICE, spendsExactly } from '../_accounts.ts';
import { appendToCatalogue, meta } from '../_catalogue.ts';
import { type Answer, errorOf, idOf, postJsonOnce } from '../_client.ts';
import { startCommandApi } from '../_command-api.ts';
import { logLength, postKeyed } from '../_keyed.ts';
import { get, type World } from '../_world.ts';
import { type Context, test } from './_two-apis.ts';

/** With a new Idempotency-Key, so that a retry spends no credits twice. */
const post = ({ renders }: World, { key, body }: Account): Promise<Answer> => postKeyed(renders, key, ulid(), body);

const append = async ({ clients }: World, render_id: string, events: readonly RenderEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

const untilStatus = (world: World, account: Account, render_id: string, status: string) =>
  pollUntil(`it is ${status}`, async () => {
    return Object((await get(world, `renders/${render_id}`, account.key)).body).status === status;
  });

test.serial('without credits a render is refused, and the answer names what is missing', async (t) => {
  const account = await accountWith(t.context, 'poor', 0);
  const answer = await post(t.context, account);
  t.is(answer.status, 402);
  t.is(errorOf(answer), 'not enough credits: this render costs 10, and 0 are left');
  t.is((await post(t.context, { ...account, body: { ...account.body, name: '' } })).status, 400);
  await appendToCatalogue(t.context.clients.records, [granted(account, 'more', PRICE - 1)]);
  await pollUntil('the grant is folded', async () =>
    /9 are left/.test(String(errorOf(await post(t.context, account)))),
  );
  await appendToCatalogue(t.context.clients.records, [granted(account, 'rest', 1)]);
  await pollUntil('the credits suffice', async () => (await post(t.context, account)).status === 201);
  t.is((await post(t.context, account)).status, 402);
});

test.serial('the account shows its balance, its prices and its limits to its own keys', async (t) => {
  const account = await accountWith(t.context, 'shown', 2 * PRICE + 5);
  const shown = async ({ key }: Account) => Object((await get(t.context, 'account', key)).body);
  const { credits, ...rest } = await shown(account);
  t.deepEqual(credits, { unlimited: false, balance: 2 * PRICE + 5, reserved: 0, charged: 0, granted: 2 * PRICE + 5 });
  t.like(rest, {
    ...{ id: account.id, name: 'shown', prices: { credits_per_megapixel_second: 1, min_credits: 1 } },
    limits: {
      keys: { used: 1, limit: 500 },
      endpoints: { used: 0, limit: 500 },
      teams: { used: 1, limit: 200 },
      projects: { used: 2, limit: 10_000 },
      members: { used: 0, limit: 1_000 },
    },
  });
  const id = idOf(await post(t.context, account));
  await pollUntil('the reservation is shown', async () => (await shown(account)).credits.reserved === PRICE);
  await append(t.context, id, [prepared, assigned('a', 1), progressed('a'), finished('a'), completed('a')]);
  await untilStatus(t.context, account, id, 'complete');
  const { charged, reserved, balance } = (await shown(account)).credits;
  t.deepEqual([charged + balance, reserved], [2 * PRICE + 5, 0]);
  t.true(charged > 0);
  t.like((await shown(await accountWith(t.context, 'unshown', 0))).credits, { balance: 0, granted: 0 });
});

test.serial('concurrent requests never exceed the paid renders', async (t) => {
  t.timeout(240_000);
  for (const [name, paid, many] of [
    ['five', 5, 40],
    ['one', 1, 40],
    ['thirty', 30, 60],
  ] as const) {
    const account = await accountWith(t.context, name, paid * PRICE + PRICE - 1);
    const ask = () => postJsonOnce(t.context.renders, account.key, account.body);
    await spendsExactly(t, await atOnce(many, ask), paid, ask);
  }
});

test.serial('requests never exceed the paid renders while the ledger folds accepted ones', async (t) => {
  t.timeout(240_000);
  const account = await accountWith(t.context, 'waves', 60 * PRICE);
  const waves: Answer[] = [];
  const ask = () => postJsonOnce(t.context.renders, account.key, account.body);
  for (let wave = 0; wave < 20; wave += 1) waves.push(...(await atOnce(5, ask)));
  await spendsExactly(t, waves, 60, ask);
});

test.serial('a failed render releases its hold, and a complete one costs its prepared price', async (t) => {
  t.timeout(180_000);
  const account = await accountWith(t.context, 'spender', 3 * PRICE);
  const answers = await atOnce(5, () => post(t.context, account));
  t.is(count(answers, 201), 3);
  const [failing = '', completing = ''] = answers.filter(({ status }) => status === 201).map(idOf);

  await append(t.context, failing, [failed('preparer:p', null)]);
  await untilStatus(t.context, account, failing, 'failed');
  const after = await atOnce(5, () => post(t.context, account));
  t.is(count(after, 201), 1, 'one reservation was released');

  await append(t.context, completing, [
    { ...prepared, price_credits: 7 },
    assigned('att_1', 1),
    progressed('att_1'),
    finished('att_1'),
    completed('att_1'),
  ]);
  await untilStatus(t.context, account, completing, 'complete');
  t.is(errorOf(await post(t.context, account)), 'not enough credits: this render costs 10, and 3 are left');
});

test.serial('an unlimited account is never refused, and a new limit counts from its start', async (t) => {
  t.timeout(180_000);
  const account = await accountWith(t.context, 'boundless', 0);
  const { records } = t.context.clients;
  await appendToCatalogue(records, [{ type: 'CreditLimitLifted', rules: 0, meta, account_id: account.id }]);
  await pollUntil('the limit is removed', async () => (await post(t.context, account)).status === 201);
  t.is(count(await atOnce(20, () => post(t.context, account)), 201), 20);
  await appendToCatalogue(records, [{ type: 'CreditLimitImposed', rules: 0, meta, account_id: account.id }]);
  await pollUntil('the limit is set', async () => (await post(t.context, account)).status === 402);
  await appendToCatalogue(records, [granted(account, 'debt', 5 * PRICE)]);
  t.is(errorOf(await post(t.context, account)), 'not enough credits: this render costs 10, and 0 are left');
});

test.serial('a repeated Idempotency-Key is paid once, and is answered even without credits', async (t) => {
  t.timeout(180_000);
  const account = await accountWith(t.context, 'keyed', PRICE);
  const keyed = (key: string, body: unknown = account.body) => postKeyed(t.context.renders, account.key, key, body);
  const answers = await atOnce(50, () => keyed('once'));
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  t.is(new Set(answers.map(({ text }) => text)).size, 1);
  const before = await logLength(t.context);
  t.is((await keyed('twice')).status, 402);
  t.is((await keyed('twice')).status, 402);
  t.is((await post(t.context, account)).status, 402);
  t.is(await logLength(t.context), before);
  t.is((await keyed('once')).text, answers[0]?.text ?? '');
  t.is((await keyed('once', { ...account.body, name: 'Other' })).status, 422);
});

test.serial('two APIs never refuse a repeated key when credits suffice for one render', async (t) => {
  t.timeout(240_000);
  const { api } = t.context.second;
  for (let round = 0; round < 5; round += 1) {
    const account = await accountWith(t.context, `shared-key-${round}`, PRICE);
    const answers = await atOnce(40, (i) =>
      postKeyed(i % 2 === 0 ? t.context.renders : api.renders, account.key, 'the-one', account.body),
    );
    t.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    t.is(new Set(answers.map(({ text }) => text)).size, 1);
    const next = await postKeyed(api.renders, account.key, 'the-next', account.body);
    t.is(next.status, 402);
  }
});

/** The account has paid for 100 renders, and three processes get 300 requests at once. */
const PAID = 100;
const ASKED = 300;
/** If the stopped API could not return its lease in time, its last credits are unavailable for two minutes. */
const LEASE_OF_DEAD_PROCESS_MS = 150_000;

const askOfThree = async ({ renders, second, stack }: Context, account: Account): Promise<readonly Answer[]> => {
  const third = await startCommandApi(stack.env);
  try {
    const urls = [renders, second.api.renders, third.renders];
    return await atOnce(ASKED, (i) => postJsonOnce(urls[i % urls.length] ?? renders, account.key, account.body));
  } finally {
    // Ends the API in an orderly way. If it were killed, its leased, unspent credits would be unavailable for a minute
    // or more (ADR 58).
    await third.end();
  }
};

test.serial('three APIs together spend exactly the available credits', async (t) => {
  t.timeout(400_000);
  const account = await accountWith(t.context, 'shared', PAID * PRICE);
  const before = await logLength(t.context);
  const inLog = async () => (await logLength(t.context)) - before;
  const answers = await askOfThree(t.context, account);
  let accepted = count(answers, 201);
  // A slow store cannot show the leases of others, and a slow projector cannot confirm a render: both answers are 503.
  let unknown = count(answers, 503);
  t.is(accepted + count(answers, 402) + unknown, ASKED);
  const left = async () => {
    const answer = await postJsonOnce(t.context.renders, account.key, account.body);
    if (answer.status === 201) accepted += 1;
    if (answer.status === 503) unknown += 1;
    // A request of unknown outcome holds credits until it is in the log, or can no longer be appended.
    return answer.status === 402 && (await inLog()) >= PAID && answer;
  };
  const last = await pollUntil('no credits are left', left, LEASE_OF_DEAD_PROCESS_MS);
  t.is(errorOf(last), 'not enough credits: this render costs 10, and 0 are left');
  t.is(await inLog(), PAID);
  t.true(accepted <= PAID && accepted + unknown >= PAID, `${accepted} accepted, ${unknown} unknown`);
});

test.serial('a new API process reads the remaining credits from the ledger', async (t) => {
  t.timeout(180_000);
  const account = await accountWith(t.context, 'restarted', 2 * PRICE);
  const ids = (await atOnce(2, () => post(t.context, account))).map(idOf);
  for (const id of ids) await untilStatus(t.context, account, id, 'initializing');
  const api = await startCommandApi(t.context.stack.env);
  try {
    const answer = await postKeyed(api.renders, account.key, 'restarted', account.body);
    t.is(errorOf(answer), 'not enough credits: this render costs 10, and 0 are left');
  } finally {
    await api.kill();
  }
});
