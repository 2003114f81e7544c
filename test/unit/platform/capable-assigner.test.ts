import test from 'ava';
import { assignTo, type GroupMember } from '../../../platform/consumer/capable-assigner.ts';

const TOPIC = 'render-events';
const four = [0, 1, 2, 3].map((partition) => ({ topic: TOPIC, partition }));

const member = (id: string, ...unreadable: readonly number[]): GroupMember => ({
  id,
  unreadable: new Set(unreadable.map((partition) => `${TOPIC}/${partition}`)),
});

const assigned = (...members: readonly GroupMember[]): Readonly<Record<string, readonly number[]>> =>
  Object.fromEntries(Array.from(assignTo(members, four), ([id, all]) => [id, all.map(({ partition }) => partition)]));

test('members take turns in order of their ids, as in earlier versions', (t) => {
  t.deepEqual(assigned(member('b'), member('a')), { a: [0, 2], b: [1, 3] });
});

test('a partition that one member cannot read goes to a member that can', (t) => {
  t.deepEqual(assigned(member('a', 0), member('b')), { a: [1, 2], b: [0, 3] });
});

test('a partition that no member can read is assigned normally', (t) => {
  t.deepEqual(assigned(member('a', 0), member('b', 0)), { a: [0, 2], b: [1, 3] });
  t.deepEqual(assigned(member('a', 0)), { a: [0, 1, 2, 3] });
});

test('a new member gets the partitions that old members cannot read', (t) => {
  t.deepEqual(assigned(member('a', 0, 1), member('b', 0, 1), member('new')), { new: [0, 1], a: [2], b: [3] });
});

test('every partition is assigned once, for any set of unreadable partitions', (t) => {
  for (let bits = 0; bits < 2 ** 12; bits += 1) {
    const cannot = (i: number) => [0, 1, 2, 3].filter((partition) => ((bits >> (i * 4 + partition)) & 1) === 1);
    const members = ['a', 'b', 'c'].map((id, i) => member(id, ...cannot(i)));
    const all = assigned(...members);
    t.deepEqual(Object.values(all).flat().toSorted(), [0, 1, 2, 3]);
    for (const { id, unreadable } of members)
      for (const partition of all[id] ?? [])
        t.true(
          !unreadable.has(`${TOPIC}/${partition}`) || members.every((it) => it.unreadable.has(`${TOPIC}/${partition}`)),
        );
  }
});
