import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { foldStep } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createOffsetTracker } from '../../../platform/processor/progress.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { accountWindows } from '../../../render-workers/preparer/account-windows.ts';
import { openEnvironmentGate } from '../../../render-workers/preparer/environment-gate.ts';
import { openPreparations } from '../../../render-workers/preparer/preparer.ts';
import { openAccountSlots } from '../../../render-workers/queue/account-slots.ts';
import { prepared, requested } from '../../helpers/render-events.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const { meta: _meta, render_id: _render_id, type: _type, ...PREPARED } = prepared;
const logger = createLogger('test', 'silent');

// The limits of the preparer at a fiftieth of their size. `MAX_UNFINISHED` is the processor's limit.
const WINDOWS = { most: 36, part: 4 };
const MAX_UNFINISHED = 40;
const SLOTS = { at_once: 8, at_once_per_account: 2, at_once_reserved: 2 };
const SLOW_MS = 10_000;
const QUICK_MS = 50;
const PARTITIONS = 2;

const renderOf = (render_id: string, account_id: string): Render => {
  const step = foldStep(null, requested({ render_id, account_id }), 1);
  if (step.tag !== 'accepted') throw new Error('not accepted');
  return step.render;
};

type Preparations = ReturnType<typeof openPreparations>;

const openGate = (clock: ReturnType<typeof virtualClock>) =>
  openEnvironmentGate({ disk: async () => true, blob_store: async () => true }, logger, clock);

/** The parts that are alike in all preparers. */
const PARTS = {
  environment_timeout_ms: 86_400_000,
  paused: new Set<never>(),
  isHeldBack: async () => false,
  logger,
};

type Asked = { readonly render: Render; readonly partition: number; readonly at: number; readonly takes_ms: number };

/** The state that successive preparer processes share: the log of renders, their outcomes and the saved positions. */
const world = (asked: readonly Asked[]) => {
  const clock = virtualClock();
  /** The time at which the outcome of a render was appended, ms. */
  const ends = new Map<string, number>();
  const faults: string[] = [];
  const saved = Array.from({ length: PARTITIONS }, () => 0);
  const shared = { asked, clock, ends, faults, saved, most_held: 0 };
  return { clock, ends, faults, startProcess: () => startProcess(shared), mostHeld: () => shared.most_held };
};

type Shared = {
  readonly asked: readonly Asked[];
  readonly clock: ReturnType<typeof virtualClock>;
  readonly ends: Map<string, number>;
  readonly faults: string[];
  /** By partition, the next offset. */
  readonly saved: number[];
  most_held: number;
};

/** The queries of the read model about renders without an outcome. */
const waitingRenders = ({ asked, clock, ends }: Shared): Parameters<typeof openPreparations>[0]['waiting'] => {
  const waiting = () => asked.filter(({ at, render }) => at <= clock.now() && !ends.has(render.id));
  return {
    accounts: async (partitions, before_ms) =>
      new Set(
        waiting().flatMap(({ at, partition, render }) =>
          at < before_ms && partitions.includes(partition) ? [render.account_id] : [],
        ),
      ),
    ids: async (account_id, partitions) =>
      waiting().flatMap(({ partition, render }) =>
        render.account_id === account_id && partitions.includes(partition) ? [render.id] : [],
      ),
    load: async (ids) =>
      waiting().flatMap(({ render, partition }) =>
        ids.includes(render.id) ? [{ render, partition, causation_id: null }] : [],
      ),
  };
};

const preparationsOf = (shared: Shared, owned: ReadonlyMap<number, AbortSignal>): Preparations => {
  const { asked, clock, ends, faults } = shared;
  const windows = accountWindows(WINDOWS);
  const by_id = new Map(asked.map((one) => [one.render.id, one]));
  return openPreparations({
    ...PARTS,
    slots: openAccountSlots(SLOTS),
    windows,
    gate: openGate(clock),
    isInitializing: async (id) => !ends.has(id),
    waiting: waitingRenders(shared),
    prepare: async ({ id }, _meter, signal) => {
      shared.most_held = Math.max(shared.most_held, windows.held());
      await clock.sleep(by_id.get(id)?.takes_ms ?? 0, signal);
      return E.right(PREPARED);
    },
    append: async (_topic, id, record) => {
      if (ends.has(id) || record.type !== 'RenderPrepared') faults.push(`${id}: ${record.type}`);
      ends.set(id, clock.now());
      return null;
    },
    recordCost: async () => undefined,
    owned: () => owned,
    by: createMetaFactory('preparer', 'prep_1', clock),
    clock,
    crash: (fault) => void faults.push(String(fault)),
  });
};

/** Reads a partition as a processor does: it pauses at the limit of unfinished records. @returns the revocation */
const readPartition = (
  { asked, clock, faults, saved }: Shared,
  preparations: Preparations,
  owned: Map<number, AbortSignal>,
  partition: number,
): (() => void) => {
  const revoked = new AbortController();
  owned.set(partition, revoked.signal);
  const log = asked.filter((one) => one.partition === partition);
  const progress = createOffsetTracker(saved[partition] ?? 0);
  const endReading = clock.every(100, () => {
    for (let next = log[progress.end()]; next !== undefined; next = log[progress.end()]) {
      if (next.at > clock.now() || progress.unfinished() > MAX_UNFINISHED) break;
      const offset = progress.end();
      const { render } = next;
      progress.begin(offset);
      if (!preparations.takes(render.account_id)) {
        progress.finish(offset);
        continue;
      }
      preparations.prepare({ render, causation_id: null, headers: {} }, revoked.signal).then(
        () => progress.finish(offset),
        (fault) => revoked.signal.aborted || faults.push(String(fault)),
      );
    }
    saved[partition] = progress.next();
  });
  return () => {
    endReading();
    owned.delete(partition);
    revoked.abort(new Error('revoked'));
  };
};

const startProcess = (shared: Shared) => {
  const owned = new Map<number, AbortSignal>();
  const preparations = preparationsOf(shared, owned);
  const own = (partition: number) => readPartition(shared, preparations, owned, partition);
  const giveUp = Array.from({ length: PARTITIONS }, (_, partition) => own(partition));
  return {
    rebalance: (partition: number) => {
      giveUp[partition]?.();
      giveUp[partition] = own(partition);
    },
    kill: async () => {
      for (const end of giveUp) end();
      await preparations.backlog.stop();
    },
  };
};

/** Many slow renders of some accounts, all at once, and 1 ms later a quick one of another account per partition. */
const CROWD = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 }).map((sizes) => {
  const asked: Asked[] = [];
  const longest = Math.max(...sizes);
  for (let i = 0; i < longest; i += 1)
    for (const [a, size] of sizes.entries())
      if (i < size)
        asked.push({
          render: renderOf(`rend_${a}_${i}`, `acc_${a}`),
          ...{ partition: (i + a) % PARTITIONS, at: 0, takes_ms: SLOW_MS },
        });
  for (let partition = 0; partition < PARTITIONS; partition += 1)
    asked.push({ render: renderOf(`rend_s${partition}`, `acc_s${partition}`), partition, at: 1, takes_ms: QUICK_MS });
  return asked;
});

/** An upper bound of the time until all renders are prepared. */
const drainMs = (asked: readonly Asked[]): number => 400_000 + (asked.length * SLOW_MS) / SLOTS.at_once_per_account;

test('a render is prepared once, within seconds beside many slow ones', async (t) => {
  t.timeout(60_000);
  await fc.assert(
    fc.asyncProperty(CROWD, async (asked) => {
      const { clock, startProcess, ends, faults, mostHeld } = world(asked);
      const one = startProcess();
      await clock.advance(3 * SLOW_MS);
      for (let partition = 0; partition < PARTITIONS; partition += 1)
        t.true(ends.has(`rend_s${partition}`), `${asked.length} renders: the single one of ${partition} waits`);
      await clock.advance(drainMs(asked));
      await one.kill();
      t.is(ends.size, asked.length);
      t.deepEqual(faults, []);
      t.true(mostHeld() <= WINDOWS.most);
    }),
    { numRuns: 10 },
  );
});

test('moved partitions and ended processes lose and repeat no preparation', async (t) => {
  t.timeout(60_000);
  const interruptions = fc.array(
    fc.record({ after_ms: fc.integer({ min: 1, max: 60_000 }), what: fc.constantFrom('kill', 0, 1) }),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(CROWD, interruptions, async (asked, plan) => {
      const { clock, startProcess, ends, faults } = world(asked);
      let one = startProcess();
      for (const { after_ms, what } of plan) {
        await clock.advance(after_ms);
        if (typeof what === 'number') {
          one.rebalance(what);
        } else {
          await one.kill();
          one = startProcess();
        }
      }
      await clock.advance(drainMs(asked));
      await one.kill();
      t.is(ends.size, asked.length);
      t.deepEqual(faults, []);
    }),
    { numRuns: 10 },
  );
});

/** One preparer. A preparation takes `SLOW_MS`, and uses a second of CPU in the middle of that. */
const cancelling = () => {
  const clock = virtualClock();
  const appended: string[] = [];
  const spent: [string, number][] = [];
  const windows = accountWindows(WINDOWS);
  const preparations = openPreparations({
    ...PARTS,
    slots: openAccountSlots(SLOTS),
    windows,
    gate: openGate(clock),
    isInitializing: async () => true,
    waiting: { accounts: async () => new Set(), ids: async () => [], load: async () => [] },
    prepare: async (_render, meter, signal) => {
      await clock.sleep(SLOW_MS / 2, signal);
      meter.addCpu(1_000);
      await clock.sleep(SLOW_MS / 2, signal);
      return E.right(PREPARED);
    },
    append: async (_topic, id, record) => {
      appended.push(`${id}: ${record.type}`);
      return null;
    },
    recordCost: async ({ id }, { cpu_ms }) => void spent.push([id, cpu_ms]),
    owned: () => new Map(),
    by: createMetaFactory('preparer', 'prep_1', clock),
    clock,
    crash: (fault) => void appended.push(String(fault)),
  });
  const cancelled = (id: string): Render => ({ ...renderOf(id, 'acc_1'), status: 'failed' });
  const begin = (id: string) =>
    preparations.prepare(
      { render: renderOf(id, 'acc_1'), causation_id: null, headers: {} },
      new AbortController().signal,
    );
  return { clock, appended, spent, windows, begin, cancel: (id: string) => preparations.cancel(cancelled(id)) };
};

test('a cancelled preparation ends at once, and its work counts', async (t) => {
  const { clock, appended, spent, windows, begin, cancel } = cancelling();
  const [one, other] = [begin('rend_1'), begin('rend_2')];
  await clock.advance(SLOW_MS / 2);
  cancel('rend_1');
  await one;
  t.deepEqual(spent, [['rend_1', 1_000]]);
  t.is(windows.held(), 1, 'its place is free');
  await clock.advance(SLOW_MS);
  await other;
  t.deepEqual(appended, ['rend_2: RenderPrepared']);
});

test('work before a cancellation counts; waiting costs nothing', async (t) => {
  const { clock, appended, spent, begin, cancel } = cancelling();
  const done = begin('rend_1');
  await clock.advance(SLOW_MS);
  await done;
  cancel('rend_1');
  t.deepEqual(spent, [['rend_1', 1_000]]);
  const all = ['rend_2', 'rend_3', 'rend_4'].map(begin);
  cancel('rend_4');
  cancel('rend_unknown');
  await clock.advance(SLOW_MS);
  await Promise.all(all);
  t.deepEqual(spent.slice(1), [['rend_4', 0]]);
  t.deepEqual(appended, ['rend_1: RenderPrepared', 'rend_2: RenderPrepared', 'rend_3: RenderPrepared']);
});

test('accounts share the limit of preparations, and each can have at least one', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 50 }), fc.boolean()), { maxLength: 500 }), (steps) => {
      const windows = accountWindows(WINDOWS);
      const held = new Map<number, number>();
      for (const [account, releases] of steps) {
        const [id, before] = [`acc_${account}`, held.get(account) ?? 0];
        if (releases) {
          if (before === 0) continue;
          windows.release(id);
          held.set(account, before - 1);
        } else {
          const together = windows.held();
          const has_room = windows.roomOf(id) > 0;
          t.is(windows.hold(id), has_room);
          t.true(has_room || before > 0 || together === WINDOWS.most, 'one at least');
          t.true(!has_room || before <= (WINDOWS.most - together) / WINDOWS.part, 'a part of what is free');
          held.set(account, before + (has_room ? 1 : 0));
        }
        t.is(windows.heldOf(id), held.get(account) ?? 0);
        t.true(windows.held() <= WINDOWS.most);
      }
    }),
  );
});
