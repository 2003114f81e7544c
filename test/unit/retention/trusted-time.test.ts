import test from 'ava';
import { isDeletable } from '../../../retention/renders/render-retention.ts';
import { newestAppendTime } from '../../../retention/time/newest-append.ts';
import { clockContradiction, trustedTime } from '../../../retention/time/trusted-time.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;
const TODAY = 100 * DAY_MS;

/** @param ahead_ms the error of one clock */
const timeWith = (ahead_ms: { readonly host?: number; readonly blob_store?: number; readonly log?: number }) => {
  const clock = virtualClock();
  const at = (more = 0) => TODAY + clock.monotonic() + more;
  const time = trustedTime({
    blobTime: async () => at(ahead_ms.blob_store),
    logTime: async () => at(ahead_ms.log),
    clock: { ...clock, now: () => at(ahead_ms.host) },
  });
  return { clock, time };
};

test('one clock that is a month ahead deletes nothing', async (t) => {
  const ages = { leftovers_ms: DAY_MS, sources_ms: 30 * DAY_MS, used_parts_ms: 31 * DAY_MS };
  const path = 'renders/rend_1/att_1/master.mp4';
  const yesterday = TODAY - 1.1 * DAY_MS;
  const render = {
    ...{ account_id: 'acc_1', ended_at: yesterday, erased_at: null },
    ...{ request: null, outputs: new Set([path]), composition: null },
  };
  const times = {
    retention: { kind: 'account_retention', id: 'acc_1', outputs: 30, media: null, outputs_gone_until: 0 } as const,
    outputs_until: Number.POSITIVE_INFINITY,
  };
  const goes = (now: number) => isDeletable({ path, kind: 'outputs', stored_at: yesterday }, render, times, now, ages);
  for (const source of ['host', 'blob_store', 'log'] as const) {
    const now = await timeWith({ [source]: 31 * DAY_MS }).time.now();
    t.is(now, TODAY, source);
    t.false(goes(now));
  }
  t.true(goes(TODAY + 31 * DAY_MS));
});

test('the slowest clock counts, and an unreadable clock blocks deletions', async (t) => {
  t.is(await timeWith({ blob_store: -DAY_MS }).time.now(), TODAY - DAY_MS);
  t.is(await timeWith({ log: -DAY_MS }).time.now(), TODAY - DAY_MS);
  t.is(await timeWith({ log: -DAY_MS }).time.nowOfBlobs(), TODAY);
  const clock = virtualClock();
  let is_away = true;
  const time = trustedTime({
    blobTime: async () => 5,
    logTime: async () => {
      if (is_away) throw new Error('Kafka is away');
      return 7;
    },
    clock: { ...clock, now: () => 6 },
  });
  await t.throwsAsync(time.now(), { message: 'Kafka is away' });
  is_away = false;
  t.is(await time.now(), 5);
});

test('a clock is read again after a minute', async (t) => {
  const { clock, time } = timeWith({});
  t.is(await time.now(), TODAY);
  await clock.advance(59_000);
  t.is(await time.now(), TODAY);
  await clock.advance(1_000);
  t.is(await time.now(), TODAY + 60_000);
});

test('the likely time advances between readings in whole milliseconds', async (t) => {
  const { clock, time } = timeWith({ host: 31 * DAY_MS });
  t.is(time.likely(), TODAY + 31 * DAY_MS, 'no clock was read yet');
  await time.now();
  await clock.advance(90_000.7);
  t.is(time.likely(), TODAY + 90_000);
});

test('clocks that contradict each other are shown', (t) => {
  t.is(clockContradiction({ host: TODAY, blob_store: TODAY - 200_000, log: 0 }), null);
  t.regex(clockContradiction({ host: TODAY, blob_store: TODAY - DAY_MS, log: 0 }) ?? '', /1440 min ahead of/);
  t.regex(clockContradiction({ host: TODAY - DAY_MS, blob_store: TODAY, log: 0 }) ?? '', /1440 min behind/);
});

test('the log gives the time of its newest record, if any', async (t) => {
  const log = (ends: Readonly<Record<string, number>>) => ({
    reachableBounds: async (topic: string) => [
      { partition: 0, start: 2, end: ends[topic] ?? 2 },
      { partition: 1, start: 0, end: 0 },
    ],
    read: async (
      positions: readonly { readonly topic: string; readonly partition: number; readonly offset: number }[],
    ) =>
      positions.map(({ topic, partition, offset }) => ({
        ...{ topic, partition, offset, append_time_ms: offset, key: null, value: null, headers: {} },
      })),
  });
  t.is(await newestAppendTime(log({ 'render-events': 40, 'worker-heartbeats': 9 })), 39);
  await t.throwsAsync(newestAppendTime(log({})), { message: 'the log has no records, so its time is unknown' });
});
