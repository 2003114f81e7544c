import test from 'ava';
import { eraseDeliveries } from '../../../webhook-relay/plan/erase-deliveries.ts';

const OWNED = { partition: 3, signal: new AbortController().signal };

const relay = (plans: readonly ('stored' | 'restored' | 'refused')[]) => {
  const world = { has_answers: true, did: [] as string[] };
  const left = [...plans];
  const parts = {
    store: {
      pendingOf: async () => [],
      dropAnswers: async () => {
        const dropped = world.has_answers;
        world.has_answers = false;
        world.did.push(dropped ? 'dropped' : 'nothing was left');
        return dropped;
      },
    },
    recorder: {
      plan: async () => {
        const plan = left.shift();
        world.did.push(String(plan));
        if (plan === 'refused') throw new Error('the store lost what was planned');
        if (plan === 'restored') world.has_answers = true;
        return new Set<string>();
      },
      record: async () => true,
    },
    queues: { skipAllOf: () => undefined },
  };
  return { parts, world };
};

test('an erasure deletes answers and stores an empty plan', async (t) => {
  const { parts, world } = relay(['stored']);
  await eraseDeliveries(parts, OWNED, 'rend_1');
  t.deepEqual(world.did, ['dropped', 'stored', 'nothing was left']);
});

test('an erasure repeats if the store was restored before the plan', async (t) => {
  const { parts, world } = relay(['restored', 'stored']);
  await eraseDeliveries(parts, OWNED, 'rend_1');
  t.deepEqual(world.did, ['dropped', 'restored', 'dropped', 'stored', 'nothing was left']);
});

test('an erasure fails if the store lost a former plan', async (t) => {
  const { parts } = relay(['refused']);
  await t.throwsAsync(eraseDeliveries(parts, OWNED, 'rend_1'), { message: 'the store lost what was planned' });
});
