import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { balanceCredits, type LedgerShare } from '../../../domain/credits/balance.ts';
import {
  decideHold,
  evolveHolds,
  type HoldEvent,
  leftCredits,
  NO_HOLDS,
  unsureRenders,
} from '../../../domain/credits/holds.ts';

const LIMIT = { unlimited_credits: false, granted_credits: 30 };
const NOW = 1_000_000;

const share = (partition: number, offset: number, reserved_credits: number, charged_credits = 0): LedgerShare => ({
  partition,
  offset,
  reserved_credits,
  charged_credits,
});
const seen = (...shares: readonly LedgerShare[]): HoldEvent => ({ type: 'LedgerSeen', shares, at: NOW });
const held = (render_id: string, credits = 10): HoldEvent => ({ type: 'CreditsHeld', render_id, credits });
const placed = (render_id: string, partition: number, offset: number): HoldEvent => ({
  type: 'HoldPlaced',
  render_id,
  place: { partition, offset },
});
const released = (render_id: string): HoldEvent => ({ type: 'HoldReleased', render_id });
const unsure = (render_id: string, until: number): HoldEvent => ({ type: 'HoldUnsure', render_id, until });

const folded = (events: readonly HoldEvent[]) => events.reduce(evolveHolds, NO_HOLDS);
const given = (...events: readonly HoldEvent[]) => ({
  left: leftCredits(LIMIT, folded(events)),
  holds: folded(events).holds.size,
  when: (render_id: string, credits = 10, limit = LIMIT) => decideHold(limit, folded(events), { render_id, credits }),
});
const refused = (price_credits: number, left_credits: number) => E.left({ price_credits, left_credits });

test('the balance is what was granted, less what is held and what was charged, in every partition', (t) => {
  t.is(balanceCredits(30, []), 30);
  t.is(balanceCredits(30, [share(0, 5, 10), share(3, 9, 0, 12)]), 8);
  t.is(balanceCredits(10, [share(0, 5, 10, 10)]), -10);
});

test('what is left pays for a render, to the last credit', (t) => {
  t.deepEqual(given().when('a', 30), E.right([held('a', 30)]));
  t.deepEqual(given().when('a', 31), refused(31, 30));
  t.deepEqual(given(seen(share(0, 5, 10, 10))).when('a', 10), E.right([held('a', 10)]));
  t.deepEqual(given(seen(share(0, 5, 10, 11))).when('a', 10), refused(10, 9));
});

test('an account without a limit pays for everything, and holds nothing', (t) => {
  t.deepEqual(given().when('a', 1_000, { unlimited_credits: true, granted_credits: 0 }), E.right([]));
});

test('renders that are being asked for count until the ledger shows them, and then count there', (t) => {
  t.deepEqual(given(held('a'), held('b'), held('c')).when('d'), refused(10, 0));
  t.deepEqual(given(held('a'), held('b'), held('c'), released('b')).when('d'), E.right([held('d')]));
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
  t.deepEqual(given(held('b', 20), ...three).when('a'), E.right([held('a')]));
  t.is(given(...three, released('a'), released('a')).left, 20);
  t.like(given(...three, released('a'), released('a'), released('a')), { left: 30, holds: 0 });
  // The first in the log is the one that counts, so it is shown once the ledger has got there.
  const all = [...three, placed('a', 0, 8), placed('a', 0, 7), placed('a', 0, 9)];
  t.like(given(...all, seen(share(0, 7, 10))), { left: 20, holds: 0 });
});

test('the same render at a higher price has to find the difference', (t) => {
  t.deepEqual(given(held('a')).when('a', 30), E.right([held('a', 30)]));
  t.is(given(held('a'), held('a', 30)).left, 0);
  t.deepEqual(given(held('a'), held('b', 5)).when('a', 26), refused(26, 15));
  t.deepEqual(given(held('a')).when('a', 5), E.right([held('a', 5)]));
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
