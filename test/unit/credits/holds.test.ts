import test from 'ava';
import { balanceCredits, type PartitionLedger } from '../../../domain/credits/balance.ts';
import {
  additionalCredits,
  creditsOnHold,
  evolveHolds,
  type HoldEvent,
  type Holds,
  type LedgerWatermark,
  NO_HOLDS,
  rendersWithUnknownOutcome,
  UNKNOWN_OUTCOME_MS,
} from '../../../domain/credits/holds.ts';

const GRANTED = 30;
const NOW = 1_000_000;

const share = (partition: number, offset: number, reserved_credits: number, charged_credits = 0): PartitionLedger => ({
  partition,
  offset,
  reserved_credits,
  charged_credits,
});
/** A read of the ledger at `read_at`, which by default shows everything until `NOW`. */
const seenAt =
  (read_at: number, shares: readonly PartitionLedger[] = [], shown_until: LedgerWatermark = () => NOW) =>
  (before: Holds): HoldEvent => ({ type: 'LedgerSeen', shares, shown_until, read_at, before });
const seen = (...shares: readonly PartitionLedger[]) => seenAt(NOW, shares);
const held = (render_id: string, credits = 10): HoldEvent => ({ type: 'CreditsHeld', render_id, credits });
const placed = (render_id: string, partition: number, offset: number): HoldEvent => ({
  type: 'HoldPlaced',
  render_id,
  place: { partition, offset },
});
const released = (render_id: string): HoldEvent => ({ type: 'HoldReleased', render_id });
const unsure = (render_id: string): HoldEvent => ({ type: 'HoldUnsure', render_id });

/** A function gets the holds that exist before its step. */
type Step = HoldEvent | ((before: Holds) => HoldEvent);

const folded = (steps: readonly Step[]) =>
  steps.reduce<Holds>((known, step) => evolveHolds(known, typeof step === 'function' ? step(known) : step), NO_HOLDS);
const given = (...events: readonly Step[]) => {
  const known = folded(events);
  return {
    left: balanceCredits(GRANTED, known.shares.values()) - creditsOnHold(known),
    holds: known.holds.size,
    needs: (render_id: string, credits = 10) => additionalCredits(known, render_id, credits),
  };
};

test('the balance is the grants minus reservations and charges of all partitions', (t) => {
  t.is(balanceCredits(30, []), 30);
  t.is(balanceCredits(30, [share(0, 5, 10), share(3, 9, 0, 12)]), 8);
  t.is(balanceCredits(10, [share(0, 5, 10, 10)]), -10);
});

test('requested renders count until the ledger shows them', (t) => {
  t.is(given(held('a'), held('b'), held('c')).left, 0);
  t.is(given(held('a'), held('b'), held('c'), released('b')).left, 10);
  const before = [held('a'), placed('a', 0, 7)];
  t.is(given(...before, seen(share(0, 6, 0))).left, 20);
  t.like(given(...before, seen(share(0, 7, 10))), { left: 20, holds: 0 });
  t.like(given(...before, seen(share(0, 9, 0, 10))), { left: 20, holds: 0 });
  t.is(given(...before, seen(share(1, 99, 0))).left, 20);
});

test('an older read of the ledger does not replace a newer one', (t) => {
  const newer = seen(share(0, 7, 10));
  const older = seen(share(0, 6, 0));
  t.is(given(held('a'), placed('a', 0, 7), newer, older).left, 20);
});

test('requests for one render reserve its price once, while any can succeed', (t) => {
  const three = [held('a'), held('a'), held('a')];
  t.is(given(...three).left, 20);
  t.is(given(held('b', 20), ...three).needs('a'), 0);
  t.is(given(...three, released('a'), released('a')).left, 20);
  t.like(given(...three, released('a'), released('a'), released('a')), { left: 30, holds: 0 });
  // If requests for one render have several records, the first one in the log counts. The hold ends once the ledger has
  // reached it.
  const all = [...three, placed('a', 0, 8), placed('a', 0, 7), placed('a', 0, 9)];
  t.like(given(...all, seen(share(0, 7, 10))), { left: 20, holds: 0 });
});

test('the same render at a higher price reserves the difference', (t) => {
  t.is(given().needs('a', 30), 30);
  t.is(given(held('a')).needs('a', 30), 20);
  t.is(given(held('a'), held('a', 30)).left, 0);
  t.is(given(held('a')).needs('a', 5), 0);
  t.is(given(held('a'), held('a', 5)).left, 20);
});

const seenUntil = (time: number, ...shares: readonly PartitionLedger[]) => seenAt(time, shares, () => time);

test('a possible append is reserved until the ledger covers 70 s more', (t) => {
  const lost = [held('a'), unsure('a')];
  t.is(given(...lost, seen()).left, 20);
  t.is(given(...lost, seenUntil(NOW), seenUntil(NOW + UNKNOWN_OUTCOME_MS - 1)).left, 20);
  t.like(given(...lost, seenUntil(NOW), seenUntil(NOW + UNKNOWN_OUTCOME_MS)), { left: 30, holds: 0 });
  t.is(
    given(
      ...lost,
      seenAt(NOW, [], () => Number.POSITIVE_INFINITY),
    ).left,
    30,
    'the hold has ended',
  );
  t.deepEqual(rendersWithUnknownOutcome(folded([...lost, held('b'), held('c'), placed('c', 0, 1)])), ['a']);
  // A look-up or a repeated request has found the append at this place.
  t.like(given(...lost, placed('a', 2, 4), seen(share(2, 4, 10))), { left: 20, holds: 0 });
  t.like(given(...lost, held('a'), placed('a', 2, 4), seen(share(2, 4, 10))), { left: 20, holds: 0 });
});

test('an earlier read of the ledger ends no reservation', (t) => {
  const began = folded([held('a')]);
  const late: HoldEvent = { type: 'LedgerSeen', shares: [], shown_until: () => NOW, read_at: NOW, before: began };
  const known = [held('a'), unsure('a'), late];
  t.is(given(...known, seenUntil(NOW + UNKNOWN_OUTCOME_MS)).left, 20);
  t.is(given(...known, seenUntil(NOW + UNKNOWN_OUTCOME_MS), seenUntil(NOW + 2 * UNKNOWN_OUTCOME_MS)).left, 30);
  const again = [held('a'), unsure('a'), seenUntil(NOW), held('a'), unsure('a')];
  t.is(
    given(...again, seenUntil(NOW + UNKNOWN_OUTCOME_MS)).left,
    20,
    'another request of the render has been uncertain since',
  );
});

test("a reservation ends even if the store's clock is set back a month", (t) => {
  const month_ms = 31 * 86_400_000;
  const lost = [held('a'), unsure('a'), seenUntil(NOW + month_ms), seenUntil(NOW)];
  t.is(given(...lost).left, 20);
  t.is(given(...lost, seenUntil(NOW + UNKNOWN_OUTCOME_MS)).left, 30);
});

test('without a reservation a release has no effect', (t) => {
  t.deepEqual(folded([released('a'), placed('b', 0, 1), unsure('c')]), NO_HOLDS);
  t.is(given(held('a'), released('a'), released('a')).left, 30);
});

test('a possible append is reserved until its own partition shows it', (t) => {
  const shown_until = (render_id: string): number => (render_id === 'stopped' ? NOW - 1 : NOW);
  const both = [held('a'), unsure('a'), held('stopped'), unsure('stopped'), seenUntil(NOW - UNKNOWN_OUTCOME_MS)];
  t.like(given(...both, seenAt(NOW, [], shown_until)), { left: 20, holds: 1 });
});
