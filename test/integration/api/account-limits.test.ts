import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import type { FailedWorkDocument } from '../../../read-models/renders/failed-work.ts';
import { countFailedWork } from '../../../read-models/renders/failed-work.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { failed } from '../../helpers/render-events.ts';
import { type Account, accountOf } from './_accounts.ts';
import { type Answer, errorOf, idOf, postJson } from './_client.ts';
import { logLength, postKeyed } from './_keyed.ts';
import { get, startWorld, type World } from './_world.ts';

const test = anyTest as TestFn<World>;

const MAX_WAITING = 5;
const CPU_S = 10;
const BYTES = 2 * 1024 ** 3;

test.before(async (t) => {
  t.timeout(360_000);
  t.context = await startWorld({
    env: {
      WAITING_RENDERS_PER_ACCOUNT: String(MAX_WAITING),
      UPLOADS_PER_ACCOUNT: '3',
      FAILED_WORK_CPU_S_PER_HOUR: String(CPU_S),
      FAILED_WORK_BYTES_PER_HOUR: String(BYTES),
    },
  });
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

/** With a new Idempotency-Key, so that a retry creates no second render. */
const post = ({ renders }: World, { key, body }: Account): Promise<Answer> => postKeyed(renders, key, ulid(), body);

const postKeyless = ({ renders }: World, { key, body }: Account): Promise<Answer> => postJson(renders, key, body);

const failedWork = async ({ clients }: World, account_id: string, work_id: string, cpu_s: number, bytes = 0) =>
  await countFailedWork(
    clients.store.db,
    { work_id, account_id, cost: { cpu_ms: cpu_s * 1000, fetched_bytes: bytes } },
    Date.now(),
  );

const retryAfterOf = ({ headers }: Answer): number => Number(headers.get('retry-after') ?? Number.NaN);

const isRefused = (t: ExecutionContext<World>, answer: Answer, why: RegExp, most_s: number): void => {
  t.is(answer.status, 429);
  t.regex(errorOf(answer) ?? '', why);
  t.true(retryAfterOf(answer) >= 1 && retryAfterOf(answer) <= most_s, `${retryAfterOf(answer)} s`);
};

test.serial("concurrent requests never exceed an account's limit of waiting renders", async (t) => {
  t.timeout(180_000);
  const account = await accountOf(t.context, 'many');
  const answers = await Promise.all(Array.from({ length: 30 }, () => post(t.context, account)));
  const accepted = answers.filter(({ status }) => status === 201);
  t.is(accepted.length, MAX_WAITING);
  const before = await logLength(t.context);
  isRefused(
    t,
    await postKeyless(t.context, account),
    /^waiting renders: the account already has 5 unfinished renders/,
    60,
  );
  t.is(await logLength(t.context), before);
  t.is((await post(t.context, await accountOf(t.context, 'few'))).status, 201, 'no other account is refused');

  t.like((await get(t.context, 'account', account.key)).body, {
    renders: { waiting: { used: MAX_WAITING, limit: MAX_WAITING } },
    uploads: { uploads: { used: 0, limit: 3 } },
  });

  const render_id = idOf(accepted[0] as Answer);
  const end = { ...failed('preparer:p', null), render_id };
  const appended = await t.context.clients.records.append('render-events', render_id, end);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
  await pollUntil('one render has ended', async () => (await post(t.context, account)).status === 201);
  isRefused(t, await postKeyless(t.context, account), /^waiting renders: /, 60);
});

test.serial('a repeated Idempotency-Key is answered although the limit of waiting renders is reached', async (t) => {
  t.timeout(180_000);
  const account = await accountOf(t.context, 'keyed');
  const keyed = (key: string, body: unknown = account.body) => postKeyed(t.context.renders, account.key, key, body);
  const first = await keyed('once');
  t.is(first.status, 201);
  for (let n = 1; n < MAX_WAITING; n += 1) t.is((await keyed(`more-${n}`)).status, 201);
  t.is((await keyed('another')).status, 429);
  t.is((await keyed('once')).text, first.text);
  t.is((await keyed('once', { ...account.body, name: 'Other' })).status, 422);
});

test.serial('an account whose failed renders cost too much is refused until the hour ends', async (t) => {
  t.timeout(180_000);
  for (const [name, cpu_s, bytes, why] of [
    ['burns', CPU_S, 0, /^failed work: .* used 10 s of CPU, /],
    ['loads', 0, BYTES, /^failed work: .* used 2 GiB of fetched media, /],
  ] as const) {
    const account = await accountOf(t.context, name);
    const keyed = (key: string) => postKeyed(t.context.renders, account.key, key, account.body);
    await failedWork(t.context, account.id, 'rend_1', cpu_s / 2, bytes / 2);
    await failedWork(t.context, account.id, 'rend_1', cpu_s / 2, bytes / 2);
    const first = await keyed('once');
    t.is(first.status, 201, 'failed work counts once');
    await failedWork(t.context, account.id, 'rend_2', cpu_s / 2, bytes / 2);
    const isHeldBack = async () => /^failed work/.test(errorOf(await post(t.context, account)) ?? '');
    await pollUntil('the API knows the limit', isHeldBack);
    const before = await logLength(t.context);
    isRefused(t, await postKeyless(t.context, account), why, 3_600);
    t.is((await keyed('another')).status, 429);
    t.is((await keyed('once')).text, first.text, 'a repeat gets its usual answer');
    t.is((await postJson(t.context.renders, account.key, { ...account.body, name: '' })).status, 400);
    t.is(await logLength(t.context), before);
    // Deletes the counters, as happens at the end of the hour.
    const { db } = t.context.clients.store;
    await db.collection<FailedWorkDocument>(COLLECTIONS.failed_work).deleteMany({});
    await pollUntil('the account can continue', async () => !(await isHeldBack()));
  }
});
