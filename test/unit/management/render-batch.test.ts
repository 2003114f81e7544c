import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { requestTeamRenders } from '../../../management-api/renders/batch.ts';
import type { ApiError } from '../../../platform/http-server/api-error.ts';
import { requestRenders } from '../../../render-commands/requesting/request-renders.ts';

const REFUSED: ApiError = { tag: 'unavailable', message: 'try again', retry_after_s: 3 };

const post = async (body: unknown, { allowed = Number.POSITIVE_INFINITY } = {}) => {
  const asked: unknown[] = [];
  let counted = 0;
  const parts = {
    requestRender: async (_request: unknown, _requester: unknown, one: unknown, key: string) => {
      asked.push([one, key]);
      return E.left(REFUSED);
    },
    limits: async () => {
      counted += 1;
      return { allowed: counted <= allowed, headers: {}, retry_after_s: 2 };
    },
  };
  const handler = requestTeamRenders(Object.assign(Object.create(null), parts));
  const at = { person: { user_id: 'user_1', session: { id: 'sess_1' } }, team: { id: 'team_1', account_id: 'acc_1' } };
  const request = { json: async () => E.right(body), log: () => ({ warn: () => undefined }) };
  const answer = await handler(Object.assign(Object.create(null), request), Object.assign(Object.create(null), at));
  return { answer, asked, counted: () => counted };
};

test('each render of a batch is requested with its own key', async (t) => {
  const { answer, asked } = await post({ renders: [{ idempotency_key: 'a', name: 'Oslo' }, { idempotency_key: 'b' }] });
  t.deepEqual(asked, [
    [{ name: 'Oslo' }, 'user_1\0a'],
    [{}, 'user_1\0b'],
  ]);
  const refusal = { error: 'try again', code: 'unavailable', status: 503, retry_after_s: 3 };
  t.deepEqual(answer, E.right({ status: 200, body: { data: [1, 2].map(() => ({ render: null, refusal })) } }));
});

test('a render of a batch that cannot be read is refused in its place', async (t) => {
  const { answer, asked } = await post({ renders: [null, { idempotency_key: 'a b' }, { idempotency_key: 'c' }] });
  t.deepEqual(asked, [[{}, 'user_1\0c']]);
  if (E.isLeft(answer)) return t.fail();
  const codes = Object(answer.right.body).data.map((one: { refusal: { code: string } }) => one.refusal.code);
  t.deepEqual(codes, ['invalid_request', 'invalid_field', 'unavailable']);
  return undefined;
});

test('each render of a batch counts as one request of the session', async (t) => {
  const renders = ['a', 'b', 'c'].map((idempotency_key) => ({ idempotency_key }));
  const { answer, asked, counted } = await post({ renders }, { allowed: 1 });
  t.is(counted(), 2, 'the guard counts the request itself');
  t.is(asked.length, 2);
  if (E.isLeft(answer)) return t.fail();
  t.like(Object(answer.right.body).data[2].refusal, { code: 'rate_limited', status: 429, retry_after_s: 2 });
  return undefined;
});

test('a batch has 1 to 50 renders', async (t) => {
  for (const renders of [undefined, [], 'x', Array.from({ length: 51 }, () => ({ idempotency_key: 'a' }))]) {
    const { answer, asked } = await post({ renders });
    t.like(answer, { left: { tag: 'invalid', param: 'renders' } });
    t.is(asked.length, 0);
  }
});

test('at most eight renders of a batch are requested at once', async (t) => {
  let running = 0;
  let most = 0;
  const requestRender = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => setImmediate(resolve));
    running -= 1;
    return E.left(REFUSED);
  };
  const none = Object.create(null);
  const wanted = Array.from({ length: 20 }, (_, n) => ({ body: {}, key: `k${n}` }));
  t.is((await requestRenders(requestRender)(none, none, wanted)).length, 20);
  t.is(most, 8);
});
