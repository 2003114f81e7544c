import test from 'ava';
import { erasedSweeps } from '../../../retention/sweeps/erased-sweeps.ts';
import { NOTHING_REMOVED } from '../../../retention/sweeps/progress.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const NEVER = new AbortController().signal;

const idOf = (n: number): string => `acc_${String(n).padStart(3, '0')}`;

/** The sweep of all erased accounts, some of which cannot be finished. */
const openSweep = (count: number, isStuck: (id: string) => boolean) => {
  const finished: string[] = [];
  const told: unknown[] = [];
  const ids = Array.from({ length: count }, (_, n) => idOf(n));
  const {
    sweeps: [, all],
  } = erasedSweeps({
    names: ['accounts_erased_lately', 'erased_accounts'],
    kind: 'accounts',
    erased: async (_since, from, most) =>
      ids
        .filter((id) => id > (from ?? ''))
        .slice(0, most)
        .map((id) => ({ id, erased: { at: 1, by: 'operator:ops', event_id: 'e' }, position: id, tenant_id: id })),
    step: async ({ id }) => {
      if (isStuck(id)) throw new Error(`${id} is stuck`);
      finished.push(id);
      return { next: null, removed: NOTHING_REMOVED };
    },
    clock: virtualClock(),
    warn: ({ id }) => told.push(id),
  });
  if (all === undefined) throw new Error('there are two sweeps');
  return { all, finished, told };
};

test('an unfinishable erasure does not delay others', async (t) => {
  const { all, finished, told } = openSweep(102, (id) => id === idOf(1));
  const first = await all.page(null, NEVER);
  t.is(finished.length, 99);
  t.deepEqual(told, [idOf(1)]);
  t.is((await all.page(first.next, NEVER)).next, null);
  t.is(finished.at(-1), idOf(101));
});

test('during an outage the page is swept again, without trying all', async (t) => {
  const { all, finished } = openSweep(50, (id) => id >= idOf(10));
  await t.throwsAsync(all.page(null, NEVER), { message: 'acc_014 is stuck' });
  t.is(finished.length, 10);
  const alone = openSweep(1, () => true);
  await t.throwsAsync(alone.all.page(null, NEVER), { message: 'acc_000 is stuck' });
});

test('many unfinishable erasures in a row delay others for three attempts', async (t) => {
  const { all, finished } = openSweep(120, (id) => id >= idOf(10) && id < idOf(17));
  let from: string | null = null;
  let [pages, failures] = [0, 0];
  do {
    const page: { readonly next: string | null } | null = await all.page(from, NEVER).catch(() => null);
    if (page === null) failures += 1;
    else from = page.next;
    pages += 1;
  } while ((from !== null || pages === failures) && pages < 20);
  t.is(finished.at(-1), idOf(119));
  t.is(new Set(finished).size, 113);
  t.is(failures, 2);
});
