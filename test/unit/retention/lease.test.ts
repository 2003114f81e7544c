import test from 'ava';
import type { LeaseDocument, LeaseStore } from '../../../read-models/leases/leases.ts';
import { type HeldLease, startLeasedWork } from '../../../retention/lease/lease.ts';
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts';

/** The time until another process has the lease of one that is gone or cut off from the store. */
const TAKEN_OVER_MS = 18_000;

type Document = LeaseDocument<number>;

const leaseStore = () => {
  let document: Document | null = null;
  const cut_off = new Set<string>();
  const of = (process: string): LeaseStore<number> => {
    const reach = async (): Promise<void> => {
      if (cut_off.has(process)) throw new Error('the store is away');
    };
    return {
      read: async () => {
        await reach();
        return document;
      },
      replace: async (before, next) => {
        await reach();
        if ((document?.version ?? null) !== before) return false;
        document = { _id: 'work', ...next };
        return true;
      },
    };
  };
  return { of, cut_off, document: () => document };
};

type World = {
  readonly clock: VirtualClock;
  readonly store: ReturnType<typeof leaseStore>;
  readonly working: Set<string>;
  readonly at_once: number[];
  readonly held: Map<string, HeldLease<number>>;
};

const openWorld = (): World => ({
  clock: virtualClock(),
  store: leaseStore(),
  working: new Set(),
  at_once: [],
  held: new Map(),
});

/** @param clock of its machine, which can differ from that of the world */
const start = ({ clock, store, working, at_once, held: all }: World, name: string, skew_ms = 0) => {
  let versions = 0;
  return startLeasedWork<number>({
    leases: store.of(name),
    holder: name,
    work: async (held) => {
      working.add(name);
      at_once.push(working.size);
      all.set(name, held);
      await new Promise<void>((resolve) => held.signal.addEventListener('abort', () => resolve()));
      working.delete(name);
    },
    mintVersion: () => {
      versions += 1;
      return `${name} ${versions}`;
    },
    clock: { ...clock, now: () => clock.now() + skew_ms, monotonic: () => clock.monotonic() + skew_ms },
    warn: () => undefined,
  });
};

test('one of three processes works as long as it lives', async (t) => {
  const world = openWorld();
  const all = ['a', 'b', 'c'].map((name, n) => start(world, name, n * 3_600_000));
  await world.clock.advance(600_000);
  t.deepEqual([...world.working], ['a']);
  t.deepEqual(
    all.map((one) => one.isHeld()),
    [true, false, false],
  );
  t.true(world.at_once.every((count) => count === 1));
});

test('a stopped process releases the lease for the next check', async (t) => {
  const world = openWorld();
  const [first] = ['a', 'b'].map((name) => start(world, name));
  await world.clock.advance(10_000);
  await world.held.get('a')?.save(() => 7);
  await first?.stop();
  t.is(world.store.document()?.holder, null);
  await world.clock.advance(3_000);
  t.deepEqual([...world.working], ['b']);
  t.is(world.held.get('b')?.progress(), 7, 'the new owner continues where the former one stopped');
});

test('an isolated owner stops before another starts, with any clock difference', async (t) => {
  const world = openWorld();
  start(world, 'a');
  await world.clock.advance(5_000);
  const other = start(world, 'b', 86_400_000);
  await world.clock.advance(60_000);
  t.deepEqual([...world.working], ['a']);

  world.store.cut_off.add('a');
  await world.clock.advance(10_000);
  t.deepEqual([...world.working], [], 'the process stopped without a signal');
  t.false(other.isHeld());
  await world.clock.advance(TAKEN_OVER_MS - 10_000);
  t.deepEqual([...world.working], ['b']);
  world.store.cut_off.delete('a');
  await world.clock.advance(60_000);
  t.deepEqual([...world.working], ['b'], 'and from then on it only checks the lease');
  t.true(world.at_once.every((count) => count === 1));
});

test('a process that lost the lease cannot save', async (t) => {
  const world = openWorld();
  start(world, 'a');
  await world.clock.advance(1_000);
  const late = world.held.get('a');
  world.store.cut_off.add('a');
  start(world, 'b');
  await world.clock.advance(60_000);
  t.deepEqual([...world.working], ['b']);
  world.store.cut_off.delete('a');
  await t.throwsAsync(late?.save(() => 1) ?? Promise.resolve(), { message: 'the lease is lost' });
  t.is(world.store.document()?.progress, null);
});

test('a paused owner is refused when it saves, and stops', async (t) => {
  const world = openWorld();
  start(world, 'a');
  await world.clock.advance(1_000);
  const before = world.store.document();
  // As if the process had been suspended and had not yet read its clock.
  await world.store.of('b').replace(before?.version ?? null, { version: 'b 1', holder: 'b', progress: 5 });
  await t.throwsAsync(world.held.get('a')?.save(() => 1) ?? Promise.resolve(), { message: 'the lease is lost' });
  await world.clock.advance(0);
  t.deepEqual([...world.working], []);
  t.is(world.store.document()?.progress, 5);
});

test('a short outage of the store ends no lease', async (t) => {
  const world = openWorld();
  start(world, 'a');
  await world.clock.advance(1_000);
  world.store.cut_off.add('a');
  await world.clock.advance(6_000);
  world.store.cut_off.delete('a');
  await world.clock.advance(60_000);
  t.deepEqual([...world.working], ['a']);
  await world.held.get('a')?.save(() => 3);
  t.is(world.store.document()?.progress, 3);
});

test('a write with a lost answer keeps the lease', async (t) => {
  const world = openWorld();
  const real = world.store.of('a');
  let writes = 0;
  const unheard: LeaseStore<number> = {
    read: real.read,
    replace: async (...of) => {
      const done = await real.replace(...of);
      writes += 1;
      if (writes % 3 === 0) throw new Error('the answer is lost');
      return done;
    },
  };
  start({ ...world, store: { ...world.store, of: () => unheard } }, 'a');
  await world.clock.advance(120_000);
  t.deepEqual([...world.working], ['a']);
  t.true(writes > 30);
  t.false(world.held.get('a')?.signal.aborted);
});
