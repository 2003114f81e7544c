import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { foldStep } from '../../../domain/render/fold.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { openEnvironmentGate } from '../../../render-workers/preparer/environment-gate.ts';
import { environmentFault, type UnavailableDependency } from '../../../render-workers/preparer/preparation-fault.ts';
import {
  type PrepareWhenPossibleDependencies,
  prepareWhenPossible,
} from '../../../render-workers/preparer/prepare-when-possible.ts';
import { openAccountSlots } from '../../../render-workers/queue/account-slots.ts';
import { prepared, requested } from '../../helpers/render-events.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const { meta: _meta, render_id: _render_id, type: _type, ...PREPARED } = prepared;
const logger = createLogger('test', 'silent');
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const TRY_MS = 31_000;
const NEVER = new AbortController().signal;

/** One slot for all; the store or disk is unavailable as long as a test says, and the probe may not notice. */
const world = (waits_for: UnavailableDependency) => {
  const clock = virtualClock();
  const state = { away: true, probe_fails: true };
  const begun: { readonly id: string; readonly at: number }[] = [];
  const gone = new Set<string>();
  const well = async () => !(state.away && state.probe_fails);
  const slots = openAccountSlots({ at_once: 1, at_once_per_account: 1 });
  const parts: PrepareWhenPossibleDependencies = {
    isInitializing: async (id) => !gone.has(id),
    prepare: async ({ id }, _meter, signal) => {
      begun.push({ id, at: clock.now() });
      if (!state.away) return E.right(PREPARED);
      await clock.sleep(TRY_MS, signal);
      return E.left(environmentFault('away', waits_for));
    },
    slots,
    gate: openEnvironmentGate({ disk: well, blob_store: well }, logger, clock),
    ...{ environment_timeout_ms: DAY_MS, paused: new Set(), logger, clock },
  };
  const ended = new Map<string, string>();
  const start = (id: string, signal = NEVER) => {
    const step = foldStep(null, requested({ render_id: id, account_id: `acc_${id}` }), 1);
    if (step.tag !== 'accepted') throw new Error('not accepted');
    void prepareWhenPossible(parts, step.render, signal).then(
      (end) => ended.set(id, end === null ? 'nothing' : E.isRight(end.outcome) ? 'prepared' : end.outcome.left.code),
      () => ended.set(id, 'stopped'),
    );
  };
  return { clock, state, begun, gone, slots, parts, ended, start };
};

for (const waits_for of ['blob_store', 'disk'] as const)
  test(`an hour without its ${waits_for} fails no render; one is tried, all continue later`, async (t) => {
    const { clock, state, begun, parts, slots, ended, start } = world(waits_for);
    for (const id of ['a', 'b', 'c']) start(id);
    await clock.advance(HOUR_MS);
    t.is(ended.size, 0);
    t.deepEqual(
      begun.map(({ id }) => id),
      ['a'],
    );
    t.deepEqual([slots.running(), parts.paused.size], [0, 3]);
    state.away = false;
    await clock.advance(16 * MINUTE_MS);
    t.deepEqual([...ended].toSorted(), [
      ['a', 'prepared'],
      ['b', 'prepared'],
      ['c', 'prepared'],
    ]);
    t.is(parts.paused.size, 0);
  });

test('if the probe succeeds, one render retries separately with growing pauses', async (t) => {
  const { clock, state, begun, ended, start } = world('blob_store');
  state.probe_fails = false;
  start('a');
  await clock.advance(5 * HOUR_MS);
  t.is(ended.size, 0);
  const pauses = begun.map(({ at }, i) => at - (begun[i - 1]?.at ?? 0)).slice(1);
  t.true(pauses.every((pause, i) => pause >= (pauses[i - 1] ?? 0)));
  t.is(pauses.at(-1), 15 * MINUTE_MS + TRY_MS);
  t.true(begun.length < 40, `${begun.length} tries in five hours`);
  state.away = false;
  start('b');
  await clock.advance(1_000);
  t.is(ended.get('b'), 'prepared');
  await clock.advance(16 * MINUTE_MS);
  t.is(ended.get('a'), 'prepared');
});

for (const probe_fails of [true, false])
  test(`after 24 hours a render fails with an environment fault (probe fails: ${probe_fails})`, async (t) => {
    const { clock, state, ended, start } = world('blob_store');
    state.probe_fails = probe_fails;
    start('a');
    await clock.advance(DAY_MS - MINUTE_MS);
    t.is(ended.size, 0);
    await clock.advance(2 * MINUTE_MS);
    t.is(ended.get('a'), 'environment');
  });

test('the wait for a slot does not count', async (t) => {
  const { clock, state, parts, ended, start } = world('blob_store');
  state.probe_fails = false;
  const stop = new AbortController();
  start('a');
  await clock.advance(TRY_MS + 1);
  void parts.slots.inSlot(
    'acc_long',
    stop.signal,
    () => clock.sleep(2 * DAY_MS),
    () => undefined,
  );
  await clock.advance(2 * DAY_MS);
  t.is(ended.size, 0);
  state.away = false;
  await clock.advance(HOUR_MS);
  t.is(ended.get('a'), 'prepared');
});

test('renders that another process prepared are skipped, and a stop ends every wait', async (t) => {
  const { clock, state, begun, gone, ended, start } = world('blob_store');
  const stop = new AbortController();
  start('a');
  start('b', stop.signal);
  await clock.advance(MINUTE_MS);
  gone.add('a');
  stop.abort(new Error('revoked'));
  state.away = false;
  await clock.advance(HOUR_MS);
  t.deepEqual(
    [...ended],
    [
      ['b', 'stopped'],
      ['a', 'nothing'],
    ],
  );
  t.is(begun.length, 1);
});
