import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { BatchRowRequest } from '../../../cli/batch/row-orders.ts';
import { type BatchRunOptions, runBatch } from '../../../cli/batch/run-batch.ts';
import type { CliFault } from '../../../cli/fault.ts';
import type { RenderAnswer } from '../../../cli/render/render-answers.ts';
import type { RenderApi } from '../../../cli/render/render-api.ts';

const render = (id: string, change: Partial<RenderAnswer> = {}): RenderAnswer => ({
  ...{ id, name: id, status: 'complete', type: 'local', project: { id: 'p', team: 't' }, created_by: null },
  ...{ created_at: 2_000, updated_at: null, output: { master: `https://${id}` } },
  ...change,
});

const http = (status: number, message = 'no', retry_after_s?: number): E.Either<CliFault, never> =>
  E.left({ tag: 'http', status, message, ...(retry_after_s === undefined ? {} : { retry_after_s }) });

const orders = (count: number): readonly BatchRowRequest[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ row: i + 1, line: i + 2, tag: 'order' as const, idempotency_key: `k${i + 1}` },
    order: { name: `n${i + 1}`, project_id: 'p' },
  }));

const unused = async (): Promise<never> => {
  throw new Error('not requested');
};

const api = (create: RenderApi['create'], others: Partial<RenderApi> = {}): RenderApi => ({
  ...{ create, get: unused, cancel: unused, list: unused, projects: null, transitions: unused },
  ...{ template: unused, templates: unused },
  ...others,
});

const run = (change: Partial<BatchRunOptions> = {}): BatchRunOptions => ({
  ...{ concurrency: 2, waits: true, poll_ms: 1, longest_poll_ms: 2, began_at: 1_000 },
  ...{ first_pause_ms: 1, longest_pause_ms: 20, timeout_ms: 5_000, stop: new AbortController().signal },
  on_change: () => undefined,
  on_done: () => undefined,
  ...change,
});

test('a batch requests and awaits at most the given number of renders at once', async (t) => {
  let under_way = 0;
  let most = 0;
  const service = api(
    async (_order, key) => {
      under_way += 1;
      most = Math.max(most, under_way);
      return E.right(render(key ?? '', { status: 'queued' }));
    },
    {
      get: async (id) => {
        under_way -= 1;
        return E.right(render(id));
      },
    },
  );
  let done = 0;
  const on_done = () => {
    done += 1;
  };
  const { results, ended_by } = await runBatch(service, orders(9), run({ concurrency: 3, on_done }));
  t.is(most, 3);
  t.is(done, 9);
  t.is(ended_by, null);
  t.deepEqual(
    results.map(({ status, url, found }) => [status, url, found]),
    orders(9).map((_, i) => ['complete', `https://k${i + 1}`, false]),
  );
});

test('a busy service is asked again after its delay, with the same key', async (t) => {
  const asked: { readonly key: string | undefined; readonly at: number }[] = [];
  const service = api(async (_order, key) => {
    asked.push({ key, at: performance.now() });
    if (asked.length === 1) return http(429, 'too many', 0.2);
    return asked.length === 2 ? http(503) : E.right(render('r1'));
  });
  const { results } = await runBatch(service, orders(1), run({ longest_pause_ms: 1_000, timeout_ms: 60_000 }));
  t.deepEqual(
    asked.map(({ key }) => key),
    ['k1', 'k1', 'k1'],
  );
  t.true((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0) >= 199);
  t.is(results[0]?.status, 'complete');
});

test('a batch ends if the service stays unavailable, and marks rows without a request', async (t) => {
  const away: E.Either<CliFault, never> = E.left({ tag: 'unreachable', what: 'the service', address: 'x' });
  let count = 0;
  const service = api(
    async () => {
      count += 1;
      return count === 1 ? E.right(render('r1', { created_at: 500 })) : away;
    },
    { get: async (id) => E.right(render(id)) },
  );
  const { results, ended_by } = await runBatch(service, orders(9), run({ concurrency: 1, timeout_ms: 30 }));
  t.is(ended_by?.tag, 'unreachable');
  t.deepEqual(
    results.map(({ status, found }) => [status, found]),
    [['complete', true], ...Array.from({ length: 8 }, () => ['not_asked', false])],
  );
});

test('only an error that all rows share ends the batch', async (t) => {
  let count = 0;
  const broke = await runBatch(
    api(async () => {
      count += 1;
      return http(402, 'not enough credits');
    }),
    orders(50),
    run({ concurrency: 1 }),
  );
  t.is(count, 1);
  t.deepEqual(
    broke.results.slice(0, 2).map(({ status, error }) => [status, error]),
    [
      ['refused', 'not enough credits'],
      ['not_asked', null],
    ],
  );
  const one = await runBatch(
    api(async (_order, key) => (key === 'k1' ? http(400, 'values.logo: no') : E.right(render(key ?? '')))),
    orders(3),
    run(),
  );
  t.is(one.ended_by, null);
  t.deepEqual(
    one.results.map(({ status }) => status),
    ['refused', 'complete', 'complete'],
  );
});

test('without waiting, earlier renders are shown with their current status', async (t) => {
  const queued = api(
    async (_order, key) =>
      E.right(render(key ?? '', { status: 'initializing', output: {}, created_at: key === 'k1' ? 500 : 2_000 })),
    { get: async (id) => E.right(render(id)) },
  );
  const { results } = await runBatch(queued, orders(2), run({ waits: false }));
  t.deepEqual(
    results.map(({ status, url, found }) => [status, url, found]),
    [
      ['complete', 'https://k1', true],
      ['initializing', null, false],
    ],
  );
});

test('a failed render shows its reason', async (t) => {
  const failure = { stage: 'preparation', code: 'x', message: 'there is no such font' };
  const service = api(async () => E.right(render('r1', { status: 'failed' })), {
    transitions: async () => E.right({ data: [{ seq: 1, status: 'failed', at: 1, failure }] }),
  });
  const { results } = await runBatch(service, orders(1), run());
  t.like(results[0], { status: 'failed', render_id: 'r1', error: 'there is no such font', url: null });
});

test('invalid rows are not requested', async (t) => {
  const at_fault: BatchRowRequest = { row: 1, line: 2, tag: 'at_fault', faults: ['accent: must be a colour'] };
  const { results } = await runBatch(api(unused), [at_fault], run());
  t.like(results[0], { status: 'invalid', error: 'accent: must be a colour' });
});
