import anyTest, { type TestFn } from 'ava';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startComponent } from '../../helpers/component-process.ts';
import { appendToCatalogue, issued, newKey } from './_catalogue.ts';
import { type Answer, bearer, errorOf, postJson, send, sendOnce, untilServed } from './_client.ts';
import { get, getOnce, PLAIN, startWorld, type World } from './_world.ts';

const test = anyTest as TestFn<World>;

const PER_S = 5;
const BURST = 10;

test.before(async (t) => {
  t.timeout(360_000);
  // Thousands of requests look up keys, so that other tests on the same store would exceed their time limits.
  const env = { RATE_LIMIT_PER_S: String(PER_S), RATE_LIMIT_BURST: String(BURST) };
  t.context = await startWorld({ env, own_servers: ['store'] });
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

let minted = 0;

/**
 * A key that has sent no request. The function waits until a key that was issued later works, so the APIs know this one
 * too.
 */
const freshKey = async (world: World): Promise<string> => {
  minted += 1;
  const [fresh, next] = [newKey(), newKey()];
  const { records } = world.clients;
  await appendToCatalogue(records, [issued(`key_fresh_${minted}`, fresh), issued(`key_next_${minted}`, next)]);
  await pollUntil('the key is known', async () => (await get(world, 'teams', next.key)).status !== 401);
  return fresh.key;
};

const numberOf = ({ headers }: Answer, name: string): number => Number(headers.get(name) ?? 'none');

test.serial('every answer to a valid key has RateLimit headers with its remaining requests', async (t) => {
  t.timeout(180_000);
  const { key, answers } = await pollUntil('the store is not busy', async () => {
    const fresh = await freshKey(t.context);
    const sent = [];
    for (const [path, method] of [['teams'], ['teams/team_none'], ['users'], ['teams', 'HEAD']] as const)
      sent.push(await sendOnce(`${t.context.reads}/${path}`, { headers: bearer(fresh), method: method ?? 'GET' }));
    return sent.every(({ status }) => status !== 503) && { key: fresh, answers: sent };
  });
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 400, 200],
  );
  for (const [i, answer] of answers.entries()) {
    t.is(answer.headers.get('ratelimit-limit'), String(BURST));
    const left = numberOf(answer, 'ratelimit-remaining');
    t.true(left >= BURST - 1 - i && left < BURST, `${left} left after ${i + 1}`);
    t.true([0, 1].includes(numberOf(answer, 'ratelimit-reset')));
  }
  const posted = [
    await untilServed(() => postJson(t.context.renders, key, PLAIN)),
    await postJson(t.context.renders, key, { ...PLAIN, project_id: 'proj_none' }),
    await postJson(t.context.renders, key, {}),
    await send(t.context.renders, { method: 'POST', body: '{', headers: bearer(key) }),
  ];
  t.deepEqual(
    posted.map(({ status }) => status),
    [201, 404, 400, 415],
  );
  for (const answer of posted) t.is(answer.headers.get('ratelimit-limit'), String(BURST));
});

test.serial('an unauthorized client learns nothing about limits', async (t) => {
  const { keys, reads } = t.context;
  for (const headers of [{}, bearer('nonsense'), bearer(keys.unknown), bearer(keys.revoked), bearer(keys.expired)]) {
    for (let i = 0; i < 2 * BURST; i += 1) {
      const answer = await send(`${reads}/teams`, { headers });
      t.is(answer.status, 401);
      t.is(answer.headers.get('ratelimit-limit'), null);
    }
  }
});

test.serial('a key beyond its burst has to wait, and another key does not', async (t) => {
  t.timeout(180_000);
  const [key, other] = [await freshKey(t.context), await freshKey(t.context)];
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 5 * BURST }, () => getOnce(t.context, 'teams', key)));
  const took_s = (performance.now() - began) / 1000;
  // A busy store answers 503, but the limit has allowed that request too.
  const allowed = answers.filter(({ status }) => status === 200 || status === 503).length;
  t.true(allowed >= BURST && allowed <= BURST + Math.ceil(took_s * PER_S), `${allowed} in ${took_s} s`);
  const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
  for (const answer of refused) {
    t.is(answer.status, 429);
    t.regex(String(errorOf(answer)), /^too many requests with this API key/);
    t.true(numberOf(answer, 'retry-after') >= 1);
    t.is(answer.headers.get('ratelimit-remaining'), '0');
    t.is(numberOf(answer, 'ratelimit-reset'), 2);
  }
  t.is((await get(t.context, 'teams', other)).status, 200);
  await pollUntil('the key can continue', async () => (await get(t.context, 'teams', key)).status === 200, 60_000);
});

/** The duration of requests above the limit, from several clients of each process. */
const FLOOD_MS = 3_000;
const CLIENTS = 4;

test.serial('three processes together allow a key the rate of one', async (t) => {
  t.timeout(240_000);
  const [per_s, burst] = [10, 20];
  const env = { ...t.context.stack.env, RATE_LIMIT_PER_S: String(per_s), RATE_LIMIT_BURST: String(burst) };
  const apis = await Promise.all([1, 2, 3].map(() => startComponent('query-api', env)));
  try {
    const flooded = async (): Promise<boolean> => {
      const key = await freshKey(t.context);
      const statuses = new Map<number, number>();
      const began = performance.now();
      const flood = async (url: string): Promise<void> => {
        while (performance.now() - began < FLOOD_MS) {
          const { status } = await sendOnce(`${url}/v1/teams`, { headers: bearer(key) });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(apis.flatMap(({ url }) => Array.from({ length: CLIENTS }, () => flood(url))));
      const most = ((performance.now() - began) / 1000) * per_s + burst;
      const allowed = statuses.get(200) ?? 0;
      if (statuses.has(503)) return false;
      t.log(`${allowed} allowed of ${Math.round(most)}, ${statuses.get(429)} refused`);
      t.deepEqual(
        [...statuses.keys()].filter((status) => status !== 200 && status !== 429),
        [],
      );
      return statuses.has(429) && allowed <= most * 1.1 && allowed >= most * 0.9;
    };
    // If the store takes more than a quarter of a second, as on a busy machine, each process uses its own bucket.
    await pollUntil('all processes together keep the limit', flooded, 150_000);
  } finally {
    await Promise.all(apis.map(({ kill }) => kill()));
  }
});

test.serial('a request beyond the rate is refused before its body is read', async (t) => {
  t.timeout(180_000);
  for (const [body, own] of [
    ['{', 400],
    ['x'.repeat(300_000), 413],
  ] as const) {
    const key = await freshKey(t.context);
    const headers = { ...bearer(key), 'Content-Type': 'application/json' };
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 5 * BURST }, () => sendOnce(t.context.renders, { method: 'POST', body, headers })),
    );
    const took_s = (performance.now() - began) / 1000;
    const looked_at = answers.filter(({ status }) => status === own || status === 503).length;
    t.is(answers.filter(({ status }) => status === 429).length, answers.length - looked_at);
    t.true(looked_at >= BURST && looked_at <= BURST + Math.ceil(took_s * PER_S), `${looked_at} in ${took_s} s`);
  }
});

test.serial('unknown keys do not block valid keys', async (t) => {
  t.timeout(180_000);
  const { keys, reads } = t.context;
  let going = true;
  let flood = 0;
  const flooding = Array.from({ length: 20 }, async () => {
    while (going) {
      const answer = await send(`${reads}/teams`, { headers: bearer(newKey().key) });
      if (answer.status !== 401) t.fail(`${answer.status} to an unknown key`);
      flood += 1;
    }
  });
  const waits_ms: number[] = [];
  // Uses the key for longer than the APIs cache it.
  await pollUntil('the key was accepted many times', async () => {
    const began = performance.now();
    const answer = await get(t.context, 'teams', keys.userless);
    t.true([200, 429].includes(answer.status));
    waits_ms.push(performance.now() - began);
    return waits_ms.length >= 20;
  });
  going = false;
  await Promise.all(flooding);
  t.log(`${flood} unknown keys; the known one waited at most ${Math.round(Math.max(...waits_ms))} ms`);
  t.true(Math.max(...waits_ms) < 30_000);
});
