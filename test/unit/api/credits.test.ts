import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { PartitionLedger } from '../../../domain/credits/balance.ts';
import type { LogPosition } from '../../../domain/credits/holds.ts';
import { NO_CREDIT_LEASES } from '../../../domain/credits/lease.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { CreditLeases, VersionedLeases } from '../../../read-models/limits/credit-leases.ts';
import { openCreditReservations } from '../../../render-commands/credits/credits.ts';
import type { Ledger } from '../../../render-commands/credits/ledger.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const share = (offset: number, reserved_credits: number): PartitionLedger => ({
  partition: 0,
  offset,
  reserved_credits,
  charged_credits: 0,
});

const leasesInMemory = (): CreditLeases => {
  let stored: VersionedLeases = { leases: NO_CREDIT_LEASES, version: null };
  return {
    find: async () => stored,
    replace: async (_, before, version, leases) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (before !== stored.version) return false;
      stored = { leases, version };
      return true;
    },
  };
};

const opened = (
  granted_credits: number,
  lag_ms: (render_id: string) => number = () => 0,
  clock: Clock = SYSTEM_CLOCK,
  leases: CreditLeases = leasesInMemory(),
) => {
  let shown: readonly PartitionLedger[] | null = [];
  let reads = 0;
  const ledger: Ledger = {
    limit: async () => ({ unlimited_credits: false, granted_credits }),
    view: async () => {
      reads += 1;
      const now = Date.now();
      return shown === null ? null : { shares: shown, read_at: now, caught_up_at: now, folded_until: () => now };
    },
    lag: async () => lag_ms,
  };
  const folded = new Map<string, LogPosition>();
  const credits = openCreditReservations({
    ledger,
    leases,
    places: async (ids) => new Map([...folded].filter(([id]) => ids.includes(id))),
    clock,
    most_lag_s: 60,
    onFailure: () => undefined,
  });
  const ask = (render_id: string, price: number, shares: readonly PartitionLedger[] | null = []) => {
    shown = shares;
    return credits.reserve('acc_1', render_id, price);
  };
  const fold = (shares: readonly PartitionLedger[]): void => {
    shown = shares;
  };
  return { ask, fold, folded, reserve: credits.reserve, stop: credits.stop, ledgerReads: () => reads };
};

const refusal = (held: E.Either<{ readonly message: string }, unknown>): string | null =>
  E.isLeft(held) ? held.left.message : null;

test("the answer states the render's cost and the remaining credits", async (t) => {
  const { ask } = opened(25);
  t.is(refusal(await ask('a', 10)), null);
  t.is(refusal(await ask('b', 20)), 'not enough credits: this render costs 20, and 15 are left');
  t.is(refusal(await ask('b', 15)), null);
  t.is(refusal(await ask('c', 1)), 'not enough credits: this render costs 1, and 0 are left');
});

test('a reservation is settled once', async (t) => {
  const { ask } = opened(10);
  const a = await ask('a', 10);
  if (E.isLeft(a)) return t.fail(a.left.message);
  a.right.confirm({ partition: 0, offset: 7 });
  a.right.release();
  t.not(refusal(await ask('b', 10)), null);
  t.is(refusal(await ask('b', 10, [share(8, 0)])), null);
});

test('a render with an unknown outcome counts once the read model has it', async (t) => {
  const { ask, folded } = opened(20);
  const a = await ask('a', 10);
  if (E.isLeft(a)) return t.fail(a.left.message);
  a.right.markUnknown();
  t.is(refusal(await ask('b', 20)), 'not enough credits: this render costs 20, and 10 are left');
  folded.set('a', { partition: 0, offset: 3 });
  t.is(refusal(await ask('b', 10, [share(3, 10)])), null);
});

test('without a ledger no request is refused and no credit is reserved', async (t) => {
  const { ask } = opened(0);
  t.is(refusal(await ask('a', 10, null)), null);
  t.is(refusal(await ask('b', 10)), 'not enough credits: this render costs 10, and 0 are left');
});

test('a stopping process returns its leased credits once the ledger shows its renders', async (t) => {
  const leases = leasesInMemory();
  const stopping = opened(20, undefined, undefined, leases);
  const other = opened(20, undefined, undefined, leases);
  const a = await stopping.ask('a', 10);
  if (E.isLeft(a)) return t.fail(a.left.message);
  a.right.confirm({ partition: 0, offset: 3 });
  const before = stopping.ledgerReads();
  const stopped = stopping.stop();
  // The process tries twice, so the first time is over, and the ledger did not show the render.
  await pollUntil('the process has tried to return its lease', async () => stopping.ledgerReads() >= before + 2, 5_000);
  stopping.fold([share(3, 10)]);
  await stopped;
  t.is(refusal(await other.ask('b', 10, [share(3, 10)])), null);
});

test('a stale ledger checks no credits, and the first request waits', async (t) => {
  let lag_ms = 61_000;
  const { reserve } = opened(100, () => lag_ms);
  const began = performance.now();
  t.regex(String(refusal(await reserve('acc_1', 'a', 10))), /^credits cannot be checked: the ledger is 61 s behind/);
  t.true(performance.now() - began >= 2_900);
  const { ask, reserve: again } = opened(100, () => lag_ms);
  lag_ms = 0;
  t.is(refusal(await ask('a', 10)), null);
  lag_ms = 61_000;
  const refused_at = performance.now();
  t.not(refusal(await again('acc_1', 'b', 10)), null);
  t.true(performance.now() - refused_at < 1_000, 'the process had read it before');
});

test('a stopped partition of the ledger refuses only its own renders', async (t) => {
  const { ask } = opened(100, (render_id) => (render_id === 'stopped' ? 1_000_000 : 0));
  t.is(refusal(await ask('a', 10)), null);
  t.regex(String(refusal(await ask('stopped', 10))), /^credits cannot be checked: the ledger is 1000 s behind/);
  t.is(refusal(await ask('b', 90)), null);
  t.is(refusal(await ask('c', 10)), 'not enough credits: this render costs 10, and 0 are left');
});

test('a host whose clock is a month off never exceeds the balance', async (t) => {
  const month_ms = 31 * 86_400_000;
  for (const wrong_by of [-month_ms, month_ms]) {
    const clock = { ...SYSTEM_CLOCK, now: () => Date.now() + wrong_by };
    const { ask } = opened(20, () => 0, clock);
    t.is(refusal(await ask('a', 10)), null);
    t.is(refusal(await ask('b', 10)), null);
    t.is(refusal(await ask('c', 1)), 'not enough credits: this render costs 1, and 0 are left');
  }
});
