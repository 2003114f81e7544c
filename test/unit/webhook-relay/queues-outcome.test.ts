import test from 'ava';
import type { PostResult } from '../../../platform/outbound/post-result.ts';
import { attemptOf, outcomeOf } from '../../../webhook-relay/queues/outcome.ts';
import { plannedDelivery, SETTINGS, START } from './_queues-world.ts';

const answered = (
  status: number,
  response: Buffer = Buffer.from('ok'),
  retry_after: string | null = null,
): PostResult => ({
  tag: 'answered',
  status,
  retry_after,
  response,
  duration_ms: 20,
});

const after = (result: PostResult, attempts_before = 0) => {
  const failed = { ...attemptOf(1, START, answered(500)) };
  const attempts = Array.from({ length: attempts_before }, (_, index) => ({ ...failed, n: index + 1 }));
  const delivery = { ...plannedDelivery({ id: 'hook_1', endpoint_id: 'whe_1', partition: 3, order: 7 }), attempts };
  const attempt = attemptOf(attempts_before + 1, START, result);
  return outcomeOf({ delivery }, attempt, result, SETTINGS.schedule, START + 20, 0);
};

test('any 2xx succeeds, and any other answer is retried', (t) => {
  for (const status of [200, 202, 204, 299]) t.is(after(answered(status)).result.tag, 'succeeded', String(status));
  for (const status of [199, 301, 302, 307, 400, 401, 404, 429, 500, 503])
    t.is(after(answered(status)).result.tag, 'retry', String(status));
});

test('a retry keeps its order among deliveries that are due together', (t) => {
  const due_at = START + 20 + 1_000;
  t.deepEqual(after(answered(500)).result, {
    tag: 'retry',
    due_at,
    waiting: `0003/whe_1/${due_at}000000000007`,
  });
});

test('an answer of 410 exhausts a delivery', (t) => {
  t.deepEqual(after(answered(410)).result, { tag: 'exhausted', reason: 'gone' });
  t.like(after(answered(410)).attempt, { status: 410, fault: { code: 'gone' } });
});

test('the fifth failure exhausts a delivery, and a fifth success succeeds', (t) => {
  t.deepEqual(after(answered(500), 4).result, { tag: 'exhausted', reason: 'attempts_failed' });
  t.deepEqual(after(answered(200), 4).result, { tag: 'succeeded' });
});

test('a retry waits as long as Retry-After says', (t) => {
  const { result } = after(answered(429, Buffer.from(''), '90'));
  t.is(result.tag === 'retry' ? result.due_at : 0, START + 20 + 90_000);
});

test('an attempt names its error: redirect, connection, or an answer that broke off', (t) => {
  t.like(attemptOf(1, START, answered(302)), { succeeded: false, status: 302, fault: { code: 'redirect' } });
  const cut = { tag: 'failed', code: 'timeout', message: 'no end', status: 200, duration_ms: 15_000 } as const;
  t.deepEqual(attemptOf(2, START, cut), {
    n: 2,
    started_at: START,
    duration_ms: 15_000,
    succeeded: false,
    status: 200,
    fault: { code: 'timeout', message: 'no end' },
    response: null,
  });
});

test('an answer is stored as text of at most 20,000 bytes', (t) => {
  const kept = (bytes: Buffer): string => attemptOf(1, START, answered(200, bytes)).response ?? '';
  t.is(kept(Buffer.from('Grüße')), 'Grüße');
  t.is(kept(Buffer.alloc(0)), '');
  const garbage = kept(Buffer.alloc(20_000, 0xff));
  t.true(Buffer.byteLength(garbage) <= 20_000 && garbage.length > 6_000);
  const cut = kept(Buffer.concat([Buffer.alloc(19_999, 'a'), Buffer.from('🎬')]));
  t.true(Buffer.byteLength(cut) <= 20_000 && cut.startsWith('aaa'));
});
