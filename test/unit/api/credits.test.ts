import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openCredits } from '../../../command-api/credits/credits.ts';
import type { Ledger } from '../../../command-api/credits/ledger.ts';
import type { LedgerShare } from '../../../domain/credits/balance.ts';
import type { LogPosition } from '../../../domain/credits/holds.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';

const share = (offset: number, reserved_credits: number): LedgerShare => ({
  partition: 0,
  offset,
  reserved_credits,
  charged_credits: 0,
});

/** Credits of one account, with a ledger that answers when the test says so. */
const opened = (granted_credits: number) => {
  const reads: ((shares: readonly LedgerShare[] | null) => void)[] = [];
  const ledger: Ledger = {
    limit: async () => ({ unlimited_credits: false, granted_credits }),
    shares: () => new Promise((resolve) => reads.push(resolve)),
  };
  const folded = new Map<string, LogPosition>();
  const credits = openCredits(
    ledger,
    async (ids) => new Map([...folded].filter(([id]) => ids.includes(id))),
    SYSTEM_CLOCK,
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Asks, and leaves the ledger unread. */
  const asking = async (render_id: string, price: number) => {
    const held = credits.reserve('acc_1', render_id, price);
    await turn();
    const answer = reads.pop();
    if (answer === undefined) throw new Error('the ledger was not asked');
    return { held, answer };
  };
  const ask = async (render_id: string, price: number, shares: readonly LedgerShare[] | null = []) => {
    const { held, answer } = await asking(render_id, price);
    answer(shares);
    return await held;
  };
  return { asking, ask, folded };
};

const refusal = (held: E.Either<{ readonly message: string }, unknown>): string | null =>
  E.isLeft(held) ? held.left.message : null;

test('the answer says what the render costs and what is left', async (t) => {
  const { ask } = opened(25);
  t.is(refusal(await ask('a', 10)), null);
  t.is(refusal(await ask('b', 20)), 'not enough credits: this render costs 20, and 15 are left');
  t.is(refusal(await ask('b', 15)), null);
  t.is(refusal(await ask('c', 1)), 'not enough credits: this render costs 1, and 0 are left');
});

test('a ledger that was read before another and comes after it gives nothing out twice', async (t) => {
  const { asking, ask } = opened(10);
  const a = await ask('a', 10);
  if (E.isLeft(a)) return t.fail(a.left.message);
  a.right.placed({ partition: 0, offset: 7 });
  const late = await asking('b', 10);
  // Another request sees the render in the ledger, so that its hold is dropped.
  t.not(refusal(await ask('c', 10, [share(7, 10)])), null);
  late.answer([share(6, 0)]);
  t.not(refusal(await late.held), null);
});

test('a reservation is settled once: a hold is not released after its position is known', async (t) => {
  const { ask } = opened(10);
  const a = await ask('a', 10);
  if (E.isLeft(a)) return t.fail(a.left.message);
  a.right.placed({ partition: 0, offset: 7 });
  a.right.released();
  t.not(refusal(await ask('b', 10)), null);
  t.is(refusal(await ask('b', 10, [share(8, 0)])), null);
});

test('a render with an unknown outcome counts once, as soon as the read model has it', async (t) => {
  const { ask, folded } = opened(20);
  const a = await ask('a', 10);
  if (E.isLeft(a)) return t.fail(a.left.message);
  a.right.unsure();
  t.is(refusal(await ask('b', 20)), 'not enough credits: this render costs 20, and 10 are left');
  folded.set('a', { partition: 0, offset: 3 });
  t.is(refusal(await ask('b', 10, [share(3, 10)])), null);
});

test('while there is no ledger nothing is refused and nothing held', async (t) => {
  const { ask } = opened(0);
  t.is(refusal(await ask('a', 10, null)), null);
  t.is(refusal(await ask('b', 10)), 'not enough credits: this render costs 10, and 0 are left');
});
