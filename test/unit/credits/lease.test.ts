import test from 'ava';
import fc from 'fast-check';
import type { PartitionLedger } from '../../../domain/credits/balance.ts';
import {
  additionalCredits,
  creditsOnHold,
  evolveHolds,
  type HoldEvent,
  type Holds,
  type LedgerWatermark,
  NO_HOLDS,
  UNKNOWN_OUTCOME_MS,
} from '../../../domain/credits/holds.ts';
import {
  type AccountCreditLeases,
  CREDIT_LEASE_MARGIN_MS,
  CREDIT_LEASE_MS,
  decideCreditLease,
  NO_CREDIT_LEASES,
} from '../../../domain/credits/lease.ts';
import { runs } from '../../helpers/runs.ts';

const LIMIT = { unlimited_credits: false, granted_credits: 100 };
const READ_AT = 990_000;
const UNTIL = READ_AT + CREDIT_LEASE_MS;

const share = (offset: number, reserved_credits: number): PartitionLedger => ({
  ...{ partition: 0, offset, reserved_credits, charged_credits: 0 },
});
const knowing = (...events: readonly HoldEvent[]): Holds => events.reduce(evolveHolds, NO_HOLDS);
const heldBy = (render_id: string, credits: number): HoldEvent => ({ type: 'CreditsHeld', render_id, credits });
const seen = (...shares: readonly PartitionLedger[]): HoldEvent => ({
  ...{ type: 'LedgerSeen', shares, shown_until: () => 0, read_at: READ_AT, before: NO_HOLDS },
});

const asked = (ask: Partial<Parameters<typeof decideCreditLease>[0]> = {}) =>
  decideCreditLease({
    owner: 'us',
    limit: LIMIT,
    known: NO_HOLDS,
    caught_up_at: 0,
    leases: NO_CREDIT_LEASES,
    needs: [10],
    read_at: READ_AT,
    ...ask,
  });
const theirs = (credits: number, until = UNTIL): AccountCreditLeases => ({
  leases: [{ owner: 'they', credits, until }],
  seen: [],
});

test('a lease covers the reservations plus an eighth of the rest, or the need', (t) => {
  t.like(asked(), { left: 100, is_granted: true, slice: 12 });
  t.like(asked({ needs: [10, 30] }), { slice: 30 });
  const known = knowing(heldBy('a', 20));
  t.like(asked({ known }), { left: 80, slice: 10, write: { leases: [{ owner: 'us', credits: 30, until: UNTIL }] } });
  t.like(asked({ needs: [101] }), { is_granted: false, slice: 0, write: null });
});

test('credits that others lease are neither granted nor reported as spent', (t) => {
  t.like(asked({ leases: theirs(85) }), { left: 100, leased_by_others: 85, is_granted: true, slice: 10 });
  t.like(asked({ leases: theirs(95) }), { left: 100, leased_by_others: 95, is_granted: false, write: null });
});

test('a process without use for its lease returns the unreserved part', (t) => {
  const ours: AccountCreditLeases = {
    leases: [{ owner: 'us', credits: 30, until: UNTIL }, ...theirs(90).leases],
    seen: [],
  };
  const known = knowing(heldBy('a', 5));
  t.like(asked({ known, leases: ours }), { is_granted: false, write: { leases: [{ owner: 'they' }, { credits: 5 }] } });
  t.deepEqual(asked({ leases: ours, needs: [] })?.write?.leases, theirs(90).leases);
});

test("a dead process's lease ends when the ledger shows its possible appends", (t) => {
  const leases = theirs(100);
  t.like(asked({ leases, caught_up_at: UNTIL }), { is_granted: false });
  t.like(asked({ leases, caught_up_at: UNTIL + 99_999 }), { is_granted: false });
  t.like(asked({ leases, caught_up_at: UNTIL + 100_000 }), { is_granted: true, leased_by_others: 0 });
});

test('a lease that ends later than a new one is shortened to it', (t) => {
  const month_ms = 31 * 86_400_000;
  const ahead = theirs(100, UNTIL + month_ms);
  const decided = asked({ leases: ahead, caught_up_at: READ_AT });
  t.like(decided, { is_granted: false, leased_by_others: 100 });
  t.deepEqual(decided?.write?.leases, theirs(100).leases);
  const leases = decided?.write ?? NO_CREDIT_LEASES;
  t.like(asked({ leases, caught_up_at: UNTIL + 100_000 }), { is_granted: true, leased_by_others: 0 });
  t.is(asked({ leases, caught_up_at: READ_AT })?.write, null, 'the lease is dated once');
});

test('an older ledger than the one of the leases is ignored', (t) => {
  const leases = { leases: [], seen: [{ partition: 0, offset: 7 }] };
  t.is(asked({ leases }), null);
  t.is(asked({ leases, known: knowing(seen(share(6, 0))) }), null);
  t.like(asked({ leases, known: knowing(seen(share(7, 10))) }), { left: 90, write: { seen: leases.seen } });
});

/*
 * Processes act in steps. Between two steps other processes act, time passes, or a process dies. The ledger has two
 * generations, each with its own lag. The time is the store's; a process measures durations only.
 */
const PROCESSES = 3;
const PARTITIONS = 2;
/** From a hold to the last moment at which its append can reach the log. */
const APPEND_MS = 85_000;
/** From the answer that an outcome is unknown to the last moment at which the append can reach the log. */
const LATE_MS = 60_000;
const GRANTED = 60;

const partitionOf = (render_id: string): number => Number(render_id.at(-1)) % PARTITIONS;

type Request = { readonly render_id: string; readonly price: number };
type Process = {
  owner: string;
  known: Holds;
  lease: { budget: number; readonly ends_at: number } | null;
  step: {
    readonly before: number;
    readonly leases: AccountCreditLeases;
    readonly known_before: Holds;
    readonly ends_at: number;
    read: { readonly caught_up_at: number; readonly read_at: number; readonly seen: HoldEvent } | null;
    is_seen: boolean;
  } | null;
  ask: {
    readonly version: number;
    readonly write: AccountCreditLeases;
    readonly slice: number | null;
    readonly ends_at: number;
  } | null;
};
type Flying = Request & {
  readonly process: Process;
  readonly owner: string;
  is_unsure: boolean;
  until: number;
};

type Ledger = { readonly folded: number[] };
type State = {
  now: number;
  /** Counts the processes that were started. */
  starts: number;
  stored: { readonly version: number; readonly leases: AccountCreditLeases };
  /** By partition. */
  readonly log: (Request & { readonly at: number })[][];
  readonly ledgers: readonly Ledger[];
  processes: readonly Process[];
  flying: readonly Flying[];
};

const newOwner = (state: State): string => {
  state.starts += 1;
  return `process ${state.starts}`;
};

const newState = (): State => {
  const state: State = {
    ...{ now: 10_000_000, starts: 0, stored: { version: 0, leases: NO_CREDIT_LEASES }, processes: [], flying: [] },
    log: Array.from({ length: PARTITIONS }, () => []),
    ledgers: [0, 1].map(() => ({ folded: Array.from({ length: PARTITIONS }, () => 0) })),
  };
  state.processes = Array.from({ length: PROCESSES }, () => ({
    ...{ owner: newOwner(state), known: NO_HOLDS, lease: null, step: null, ask: null },
  }));
  return state;
};

const happened = (process: Process, event: HoldEvent): void => {
  process.known = evolveHolds(process.known, event);
};

/** If the log has a render twice, only the first record counts. */
const costIn = ({ log }: State, partition: number, until: number): number => {
  const first = new Map<string, number>();
  for (const { render_id, price } of (log[partition] ?? []).slice(0, until))
    if (!first.has(render_id)) first.set(render_id, price);
  return [...first.values()].reduce((sum, price) => sum + price, 0);
};

const spentIn = (state: State): number =>
  state.log.reduce((sum, all, partition) => sum + costIn(state, partition, all.length), 0);

/** A stopped partition reports when it stopped, however long ago. */
const caughtUpAt = ({ log, now }: State, { folded }: Ledger): readonly number[] =>
  folded.map((next, partition) => log[partition]?.[next]?.at ?? now);

const seenIn = (state: State, ledger: Ledger, before: Holds): HoldEvent => {
  const shares = ledger.folded.flatMap((next, partition) =>
    next === 0 ? [] : [{ ...share(next - 1, costIn(state, partition, next)), partition }],
  );
  const times = caughtUpAt(state, ledger);
  const shown_until: LedgerWatermark = (render_id) => times[partitionOf(render_id)] ?? 0;
  return { type: 'LedgerSeen', shares, shown_until, read_at: state.now, before };
};

/** The outcome of a request becomes unknown to its process. */
const loseOutcome = ({ now }: State, one: Flying): void => {
  const { process, owner, render_id } = one;
  one.until = Math.min(one.until, now + LATE_MS);
  if (process.owner === owner && !one.is_unsure) happened(process, { type: 'HoldUnsure', render_id });
  one.is_unsure = true;
};

/** A request reaches the log, and with `is_answered` its process learns where. */
const land = (state: State, one: Flying, is_answered: boolean): void => {
  const { log, now } = state;
  state.flying = state.flying.filter((other) => other !== one);
  const partition = partitionOf(one.render_id);
  const place = { partition, offset: log[partition]?.length ?? 0 };
  log[partition]?.push({ render_id: one.render_id, price: one.price, at: now });
  if (!is_answered) loseOutcome(state, one);
  else if (one.process.owner === one.owner && !one.is_unsure)
    happened(one.process, { type: 'HoldPlaced', render_id: one.render_id, place });
};

const hold = (state: State, process: Process, { render_id, price }: Request): void => {
  const { now } = state;
  const need = additionalCredits(process.known, render_id, price);
  if (process.lease === null || now >= process.lease.ends_at || process.lease.budget < need) return;
  process.lease.budget -= need;
  happened(process, { type: 'CreditsHeld', render_id, credits: price });
  const { owner } = process;
  state.flying = [...state.flying, { render_id, price, process, owner, is_unsure: false, until: now + APPEND_MS }];
};

/** The last step of a renewal: writes the leases unless another process wrote meanwhile. */
const writeLeases = (state: State, process: Process, ask: NonNullable<Process['ask']>): void => {
  process.ask = null;
  if (ask.version !== state.stored.version) return;
  state.stored = { version: state.stored.version + 1, leases: ask.write };
  process.lease = ask.slice === null ? null : { budget: ask.slice, ends_at: ask.ends_at };
};

const decideLease = (process: Process, step: NonNullable<Process['step']>, needs: readonly number[]): void => {
  const { owner, known } = process;
  process.step = null;
  process.lease = null;
  const limit = { ...LIMIT, granted_credits: GRANTED };
  const { caught_up_at = 0, read_at = 0 } = step.read ?? {};
  const decided = decideCreditLease({ owner, limit, known, caught_up_at, leases: step.leases, needs, read_at });
  const write = decided?.write ?? null;
  if (decided === null || write === null) return;
  const slice = decided.is_granted ? decided.slice : null;
  process.ask = { version: step.before, write, slice, ends_at: step.ends_at };
};

/** The next step of a renewal. */
const renew = (state: State, process: Process, needs: readonly number[], generation: number): void => {
  const { now, stored } = state;
  const { step, ask } = process;
  if (ask !== null) writeLeases(state, process, ask);
  else if (step === null) {
    const ends_at = now + CREDIT_LEASE_MS - CREDIT_LEASE_MARGIN_MS;
    const at_first = { before: stored.version, leases: stored.leases, known_before: process.known, ends_at };
    process.step = { ...at_first, read: null, is_seen: false };
  } else if (step.read === null) {
    const ledger = state.ledgers[generation] ?? { folded: [] };
    const caught_up_at = Math.min(...caughtUpAt(state, ledger));
    step.read = { caught_up_at, read_at: now, seen: seenIn(state, ledger, step.known_before) };
  } else if (!step.is_seen) {
    step.is_seen = true;
    happened(process, step.read.seen);
  } else decideLease(process, step, needs);
};

const pass = (state: State, ms: number): void => {
  state.now += ms;
  // A request that has not arrived by then never arrives.
  for (const one of state.flying.filter(({ until }) => state.now >= until)) {
    state.flying = state.flying.filter((other) => other !== one);
    loseOutcome(state, one);
  }
};

/** @param stuck the partition that no ledger folds before the end; null for none */
const act = (state: State, stuck: number | null, [what, which, many]: readonly [number, number, number]): void => {
  const { log, stored } = state;
  const process = state.processes[which % PROCESSES];
  const one = state.flying[many % Math.max(1, state.flying.length)];
  const ledger = state.ledgers[which % 2];
  const partition = many % PARTITIONS;
  if (process === undefined || ledger === undefined) return;
  const price = 5 + (many % 15);
  if (what < 40) renew(state, process, what < 36 ? [price] : [], many % 2);
  else if (what < 66) hold(state, process, { render_id: `rend_${many}`, price });
  else if (what < 76 && one !== undefined) land(state, one, many % 3 > 0);
  else if (what < 78 && one !== undefined) loseOutcome(state, one);
  else if (what < 92 && partition !== stuck) {
    const folded = (ledger.folded[partition] ?? 0) + 1 + (many % 3);
    ledger.folded[partition] = Math.min(log[partition]?.length ?? 0, folded);
  } else if (what < 98) pass(state, what < 96 ? many : many * 2_000);
  else if (what < 99)
    Object.assign(process, { owner: newOwner(state), known: NO_HOLDS, lease: null, step: null, ask: null });
  // The store drops the leases of an account once nothing is leased.
  else if (stored.leases.leases.length === 0) state.stored = { version: stored.version + 1, leases: NO_CREDIT_LEASES };
};

const renewWhole = (state: State, process: Process, needs: readonly number[]): void => {
  Object.assign(process, { step: null, ask: null });
  for (let steps = 0; steps < 4; steps += 1) renew(state, process, needs, 0);
  if (process.ask !== null) renew(state, process, needs, 0);
};

/** Folds everything and returns all leases. @returns the credits that one process can then spend */
const settle = (state: State): number => {
  const { ledgers, log, processes } = state;
  pass(state, APPEND_MS);
  for (const { folded } of ledgers) for (const [partition, { length }] of log.entries()) folded[partition] = length;
  pass(state, CREDIT_LEASE_MS + 2 * APPEND_MS);
  for (const process of processes) renewWhole(state, process, []);
  // The earlier of the two times bounds the uncertain amount.
  pass(state, UNKNOWN_OUTCOME_MS);
  for (const process of processes) renewWhole(state, process, []);
  const [first] = processes;
  if (first === undefined) return 0;
  renewWhole(state, first, [GRANTED - spentIn(state)]);
  return first.lease?.budget ?? 0;
};

const ACT = fc.tuple(fc.nat(99), fc.nat(PROCESSES - 1), fc.nat(60));

const STUCK = fc.option(fc.nat(PARTITIONS - 1));

test('interleaved and dying processes never accept more than the balance', (t) => {
  t.timeout(60_000);
  let most = 0;
  fc.assert(
    fc.property(STUCK, fc.array(ACT, { minLength: 200, maxLength: 1_000, size: 'max' }), (stuck, acts) => {
      const state = newState();
      const spent = () => spentIn(state);
      for (const one of acts) {
        act(state, stuck, one);
        if (spent() > GRANTED) throw new Error(`${spent()} of ${GRANTED} are spent`);
      }
      most = Math.max(most, spent());
      const can_be_spent = settle(state);
      if (can_be_spent !== GRANTED - spent()) throw new Error(`${can_be_spent} can be spent beside ${spent()}`);
    }),
    { numRuns: runs(4_000), endOnFailure: true },
  );
  t.true(most > GRANTED / 2, 'some histories spend nearly all');
});

test('a reservation belongs to the lease under which it was made', (t) => {
  const known = knowing(heldBy('a', 7), heldBy('a', 9), heldBy('b', 1));
  t.is(creditsOnHold(known), 10);
  t.like(asked({ known, needs: [] })?.write, { leases: [{ credits: 10 }] });
});
