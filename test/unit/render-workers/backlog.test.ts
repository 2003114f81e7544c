import test from 'ava';
import { foldStep } from '../../../domain/render/fold.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { WaitingRender } from '../../../read-models/renders/waiting-renders.ts';
import { accountWindows } from '../../../render-workers/preparer/account-windows.ts';
import { openBacklog } from '../../../render-workers/preparer/backlog.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { requested } from '../../helpers/render-events.ts';

const NEVER = new AbortController().signal;

const waitingOf = (render_id: string, account_id: string): WaitingRender => {
  const step = foldStep(null, requested({ render_id, account_id }), 1);
  if (step.tag !== 'accepted') throw new Error('not accepted');
  return { render: step.render, partition: 0, causation_id: null };
};

const bench = (waiting: Record<string, string[]>) => {
  const held_back = new Set<string>();
  const partitions = new Map([[0, NEVER]]);
  const prepared: string[] = [];
  const in_hand = new Set<string>();
  const faults: unknown[] = [];
  const all = () => Object.entries(waiting).flatMap(([account_id, ids]) => ids.map((id) => ({ id, account_id })));
  const backlog = openBacklog({
    renders: {
      accounts: async () => new Set(all().map(({ account_id }) => account_id)),
      ids: async (account_id) => [...(waiting[account_id] ?? [])],
      load: async (ids) =>
        all()
          .filter(({ id }) => ids.includes(id))
          .map(({ id, account_id }) => waitingOf(id, account_id)),
    },
    owned: () => partitions,
    windows: accountWindows({ most: 100, part: 8 }),
    isHeldBack: async (account_id) => held_back.has(account_id),
    isInHand: (id) => in_hand.has(id),
    prepare: async ({ render: { id, account_id } }) => {
      prepared.push(id);
      waiting[account_id] = (waiting[account_id] ?? []).filter((one) => one !== id);
    },
    logger: createLogger('test', 'silent'),
    clock: SYSTEM_CLOCK,
    crash: (fault) => faults.push(fault),
    look_every_ms: 2,
  });
  return { backlog, held_back, prepared, in_hand, faults, waiting };
};

test('renders of a throttled account wait, and others continue', async (t) => {
  const { backlog, held_back, prepared, faults } = bench({ bad: ['b1', 'b2', 'b3'], good: ['g1'] });
  held_back.add('bad');
  backlog.defer('bad');
  await pollUntil('the other render is prepared', async () => prepared.includes('g1'));
  await pollUntil('the other account has no waiting render', async () => !backlog.has('good'));
  t.deepEqual(prepared, ['g1']);
  t.true(backlog.has('bad'));
  held_back.clear();
  await pollUntil('all renders are prepared', async () => prepared.length === 4);
  t.deepEqual(prepared.slice(1), ['b1', 'b2', 'b3'], 'the oldest first');
  await pollUntil('no render waits', async () => backlog.accounts() === 0);
  await backlog.stop();
  t.deepEqual(faults, []);
});

test('the backlog prepares renders of a former process and skips those in progress', async (t) => {
  const { backlog, prepared, in_hand } = bench({ acc: ['known', 'found'] });
  in_hand.add('known');
  await pollUntil('the render is prepared', async () => prepared.length > 0);
  await pollUntil('no render waits', async () => backlog.accounts() === 0);
  await backlog.stop();
  t.deepEqual(prepared, ['found']);
});
