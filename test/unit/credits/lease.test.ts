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
/** From a hold to the last moment at which its append may come into the log. */
const APPEND_MS = 85_000;
/** The same delay, from when the request was answered that its outcome is unknown. */
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

/** @param stands_still the partition that no ledger folds before the end; null for none */
const world = (stands_still: number | null) => {
  let now = 10_000_000;
  let made = 0;
  let stored: { version: number; leases: AccountCreditLeases } = { version: 0, leases: NO_CREDIT_LEASES };
  const log: (Request & { readonly at: number })[][] = Array.from({ length: PARTITIONS }, () => []);
  const ledgers = [0, 1].map(() => ({ folded: Array.from({ length: PARTITIONS }, () => 0) }));
  const owned = (): string => {
    made += 1;
    return `process ${made}`;
  };
  const processes = Array.from({ length: PROCESSES }, (): Process => {
    return { owner: owned(), known: NO_HOLDS, lease: null, step: null, ask: null };
  });
  let flying: Flying[] = [];

  const happened = (process: Process, event: HoldEvent): void => {
    process.known = evolveHolds(process.known, event);
  };
  /** If the log has a render twice, only the first record counts. */
  const costIn = (partition: number, until: number): number => {
    const first = new Map<string, number>();
    for (const { render_id, price } of (log[partition] ?? []).slice(0, until))
      if (!first.has(render_id)) first.set(render_id, price);
    return [...first.values()].reduce((sum, price) => sum + price, 0);
  };
  const spent = (): number => log.reduce((sum, all, partition) => sum + costIn(partition, all.length), 0);
  const sharesOf = ({ folded }: { folded: number[] }): PartitionLedger[] =>
    folded.flatMap((next, partition) =>
      next === 0 ? [] : [{ ...share(next - 1, costIn(partition, next)), partition }],
    );
  /** A stopped partition reports when it stopped, however long ago. */
  const partitionCaughtUpAt = (next: number, partition: number): number => log[partition]?.[next]?.at ?? now;
  const caughtUpAt = ({ folded }: { folded: number[] }): number => Math.min(...folded.map(partitionCaughtUpAt));
  const shownUntil = ({ folded }: { folded: number[] }): LedgerWatermark => {
    const times = folded.map(partitionCaughtUpAt);
    return (render_id) => times[partitionOf(render_id)] ?? 0;
  };

  const unsure = (one: Flying): void => {
    const { process, owner, render_id } = one;
    one.until = Math.min(one.until, now + LATE_MS);
    if (process.owner === owner && !one.is_unsure) happened(process, { type: 'HoldUnsure', render_id });
    one.is_unsure = true;
  };

  const land = (one: Flying, is_told: boolean): void => {
    flying = flying.filter((other) => other !== one);
    const partition = partitionOf(one.render_id);
    const place = { partition, offset: log[partition]?.length ?? 0 };
    log[partition]?.push({ render_id: one.render_id, price: one.price, at: now });
    if (!is_told) unsure(one);
    else if (one.process.owner === one.owner && !one.is_unsure)
      happened(one.process, { type: 'HoldPlaced', render_id: one.render_id, place });
  };

  const hold = (process: Process, { render_id, price }: Request): void => {
    const need = additionalCredits(process.known, render_id, price);
    if (process.lease === null || now >= process.lease.ends_at || process.lease.budget < need) return;
    process.lease.budget -= need;
    happened(process, { type: 'CreditsHeld', render_id, credits: price });
    flying.push({ render_id, price, process, owner: process.owner, is_unsure: false, until: now + APPEND_MS });
  };

  /** The next step of a renewal. */
  const renew = (process: Process, needs: readonly number[], generation: number): void => {
    const { step, ask } = process;
    if (ask !== null) {
      process.ask = null;
      if (ask.version !== stored.version) return;
      stored = { version: stored.version + 1, leases: ask.write };
      process.lease = ask.slice === null ? null : { budget: ask.slice, ends_at: ask.ends_at };
    } else if (step === null) {
      const ends_at = now + CREDIT_LEASE_MS - CREDIT_LEASE_MARGIN_MS;
      const at_first = { before: stored.version, leases: stored.leases, known_before: process.known, ends_at };
      process.step = { ...at_first, read: null, is_seen: false };
    } else if (step.read === null) {
      const ledger = ledgers[generation] ?? { folded: [] };
      const shown = { shares: sharesOf(ledger), shown_until: shownUntil(ledger) };
      const seen_then: HoldEvent = { type: 'LedgerSeen', ...shown, read_at: now, before: step.known_before };
      step.read = { caught_up_at: caughtUpAt(ledger), read_at: now, seen: seen_then };
    } else if (!step.is_seen) {
      step.is_seen = true;
      happened(process, step.read.seen);
    } else {
      process.step = null;
      process.lease = null;
      const limit = { ...LIMIT, granted_credits: GRANTED };
      const { owner, known } = process;
      const { caught_up_at, read_at } = step.read;
      const decided = decideCreditLease({ owner, limit, known, caught_up_at, leases: step.leases, needs, read_at });
      const write = decided?.write ?? null;
      if (decided === null || write === null) return;
      const slice = decided.is_granted ? decided.slice : null;
      process.ask = { version: step.before, write, slice, ends_at: step.ends_at };
    }
  };

  const pass = (ms: number): void => {
    now += ms;
    // A request that has not arrived by then never arrives.
    for (const one of flying.filter(({ until }) => now >= until)) {
      flying = flying.filter((other) => other !== one);
      unsure(one);
    }
  };

  return {
    spent,
    act: (what: number, which: number, many: number): void => {
      const process = processes[which % PROCESSES];
      const one = flying[many % Math.max(1, flying.length)];
      const ledger = ledgers[which % 2];
      const partition = many % PARTITIONS;
      if (process === undefined || ledger === undefined) return;
      const price = 5 + (many % 15);
      if (what < 40) renew(process, what < 36 ? [price] : [], many % 2);
      else if (what < 66) hold(process, { render_id: `rend_${many}`, price });
      else if (what < 76 && one !== undefined) land(one, many % 3 > 0);
      else if (what < 78 && one !== undefined) unsure(one);
      else if (what < 92 && partition !== stands_still) {
        const folded = (ledger.folded[partition] ?? 0) + 1 + (many % 3);
        ledger.folded[partition] = Math.min(log[partition]?.length ?? 0, folded);
      } else if (what < 98) pass(what < 96 ? many : many * 2_000);
      else if (what < 99)
        Object.assign(process, { owner: owned(), known: NO_HOLDS, lease: null, step: null, ask: null });
      // The store drops the leases of an account once nothing is leased.
      else if (stored.leases.leases.length === 0) stored = { version: stored.version + 1, leases: NO_CREDIT_LEASES };
    },
    /** All is folded, and all leases are given back: what is left can be spent by one of them. */
    settle: (): number => {
      pass(APPEND_MS);
      for (const { folded } of ledgers) for (const [partition, { length }] of log.entries()) folded[partition] = length;
      pass(CREDIT_LEASE_MS + 2 * APPEND_MS);
      const renewWhole = (process: Process, needs: readonly number[]): void => {
        Object.assign(process, { step: null, ask: null });
        for (let steps = 0; steps < 4; steps += 1) renew(process, needs, 0);
        if (process.ask !== null) renew(process, needs, 0);
      };
      for (const process of processes) renewWhole(process, []);
      // The earlier of the two times bounds the uncertain amount.
      pass(UNKNOWN_OUTCOME_MS);
      for (const process of processes) renewWhole(process, []);
      const [first] = processes;
      if (first === undefined) return 0;
      renewWhole(first, [GRANTED - spent()]);
      return first.lease?.budget ?? 0;
    },
  };
};

const ACT = fc.tuple(fc.nat(99), fc.nat(PROCESSES - 1), fc.nat(60));

const STANDS_STILL = fc.option(fc.nat(PARTITIONS - 1));

test('interleaved and dying processes never accept more than the balance', (t) => {
  t.timeout(60_000);
  let most = 0;
  fc.assert(
    fc.property(
      STANDS_STILL,
      fc.array(ACT, { minLength: 200, maxLength: 1_000, size: 'max' }),
      (stands_still, acts) => {
        const { act, spent, settle } = world(stands_still);
        for (const [what, which, many] of acts) {
          act(what, which, many);
          if (spent() > GRANTED) throw new Error(`${spent()} of ${GRANTED} are spent`);
        }
        most = Math.max(most, spent());
        const can_be_spent = settle();
        if (can_be_spent !== GRANTED - spent()) throw new Error(`${can_be_spent} can be spent beside ${spent()}`);
      },
    ),
    { numRuns: runs(4_000), endOnFailure: true },
  );
  t.true(most > GRANTED / 2, 'some histories spend nearly all');
});

test('a reservation belongs to the lease under which it was made', (t) => {
  const known = knowing(heldBy('a', 7), heldBy('a', 9), heldBy('b', 1));
  t.is(creditsOnHold(known), 10);
  t.like(asked({ known, needs: [] })?.write, { leases: [{ credits: 10 }] });
});
