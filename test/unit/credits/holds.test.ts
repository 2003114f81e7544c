import test from 'ava';
import { balanceCredits, type LedgerShare } from '../../../domain/credits/balance.ts';
import {
  evolveHolds,
  type HoldEvent,
  heldCredits,
  NO_HOLDS,
  neededCredits,
  unsureRenders,
} from '../../../domain/credits/holds.ts';

const GRANTED = 30;
const NOW = 1_000_000;

const share = (partition: number, offset: number, reserved_credits: number, charged_credits = 0): LedgerShare => ({
  partition,
  offset,
  reserved_credits,
  charged_credits,
});
const seen = (...shares: readonly LedgerShare[]): HoldEvent => ({ type: 'LedgerSeen', shares, shown_until: () => NOW });
const held = (render_id: string, credits = 10): HoldEvent => ({ type: 'CreditsHeld', render_id, credits });
const placed = (render_id: string, partition: number, offset: number): HoldEvent => ({
  type: 'HoldPlaced',
  render_id,
  place: { partition, offset },
});
const released = (render_id: string): HoldEvent => ({ type: 'HoldReleased', render_id });
const unsure = (render_id: string, until: number): HoldEvent => ({ type: 'HoldUnsure', render_id, until });

const folded = (events: readonly HoldEvent[]) => events.reduce(evolveHolds, NO_HOLDS);
const given = (...events: readonly HoldEvent[]) => {
  const known = folded(events);
  return {
    left: balanceCredits(GRANTED, known.shares.values()) - heldCredits(known),
    holds: known.holds.size,
    needs: (render_id: string, credits = 10) => neededCredits(known, render_id, credits),
  };
};

test('the balance is what was granted, less what is held and what was charged, in every partition', (t) => {
  t.is(balanceCredits(30, []), 30);
  t.is(balanceCredits(30, [share(0, 5, 10), share(3, 9, 0, 12)]), 8);
  t.is(balanceCredits(10, [share(0, 5, 10, 10)]), -10);
});

test('renders that are being asked for count until the ledger shows them, and then count there', (t) => {
  t.is(given(held('a'), held('b'), held('c')).left, 0);
  t.is(given(held('a'), held('b'), held('c'), released('b')).left, 10);
  const before = [held('a'), placed('a', 0, 7)];
  t.is(given(...before, seen(share(0, 6, 0))).left, 20);
  t.like(given(...before, seen(share(0, 7, 10))), { left: 20, holds: 0 });
  t.like(given(...before, seen(share(0, 9, 0, 10))), { left: 20, holds: 0 });
  t.is(given(...before, seen(share(1, 99, 0))).left, 20);
});

test('a ledger that was read before another and comes after it makes nothing of what it shows forgotten', (t) => {
  const newer = seen(share(0, 7, 10));
  const older = seen(share(0, 6, 0));
  t.is(given(held('a'), placed('a', 0, 7), newer, older).left, 20);
});

test('several requests for one render hold its price once, for as long as one of them may be accepted', (t) => {
  const three = [held('a'), held('a'), held('a')];
  t.is(given(...three).left, 20);
  t.is(given(held('b', 20), ...three).needs('a'), 0);
  t.is(given(...three, released('a'), released('a')).left, 20);
  t.like(given(...three, released('a'), released('a'), released('a')), { left: 30, holds: 0 });
  // The first in the log is the one that counts, so it is shown once the ledger has got there.
  const all = [...three, placed('a', 0, 8), placed('a', 0, 7), placed('a', 0, 9)];
  t.like(given(...all, seen(share(0, 7, 10))), { left: 20, holds: 0 });
});

test('the same render at a higher price has to find the difference', (t) => {
  t.is(given().needs('a', 30), 30);
  t.is(given(held('a')).needs('a', 30), 20);
  t.is(given(held('a'), held('a', 30)).left, 0);
  t.is(given(held('a')).needs('a', 5), 0);
  t.is(given(held('a'), held('a', 5)).left, 20);
});

test('what may be in the log is held for as long as it may turn up', (t) => {
  const lost = [held('a'), unsure('a', NOW + 1)];
  t.is(given(...lost, seen()).left, 20);
  t.like(given(held('a'), unsure('a', NOW), seen()), { left: 30, holds: 0 });
  t.deepEqual(unsureRenders(folded([...lost, held('b'), held('c'), placed('c', 0, 1)])), ['a']);
  // Found by a look-up, or by a repeated request.
  t.like(given(...lost, placed('a', 2, 4), seen(share(2, 4, 10))), { left: 20, holds: 0 });
  t.like(given(...lost, held('a'), placed('a', 2, 4), seen(share(2, 4, 10))), { left: 20, holds: 0 });
});

test('without a hold there is nothing to release', (t) => {
  t.deepEqual(folded([released('a'), placed('b', 0, 1), unsure('c', NOW)]), NO_HOLDS);
  t.is(given(held('a'), released('a'), released('a')).left, 30);
});

test('what may be in the log is held until its own partition shows it, whichever stands still', (t) => {
  const shown_until = (render_id: string): number => (render_id === 'stopped' ? NOW - 1 : NOW);
  const both = [held('a'), unsure('a', NOW), held('stopped'), unsure('stopped', NOW)];
  t.like(given(...both, { type: 'LedgerSeen', shares: [], shown_until }), { left: 20, holds: 1 });
});
