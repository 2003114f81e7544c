import test from 'ava';
import { erasurePositions } from '../../../retention/erasure/positions.ts';

const world = () => {
  const texts = new Map<string, string>();
  const stored = new Map<number, number>();
  const positions = () =>
    erasurePositions(
      {
        load: async (_topic, partition) => stored.get(partition) ?? 0,
        save: async (_topic, partition, next) => void stored.set(partition, Math.max(next, stored.get(partition) ?? 0)),
      },
      {
        readText: async (path) => texts.get(path) ?? null,
        writeText: async (path, text) => void texts.set(path, text),
      },
    );
  return { texts, positions };
};

test('an erasure position survives a crash between its two writes', async (t) => {
  const { texts, positions } = world();
  const first = positions();
  t.is(await first.load(0), 0);
  t.true(await first.save(0, 100));
  t.true(await first.save(0, 120));
  t.is(await positions().load(0), 120);
  const [path = ''] = texts.keys();
  texts.set(path, JSON.stringify({ before: 120, next: 130 }));
  const second = positions();
  t.is(await second.load(0), 120);
  t.true(await second.save(0, 140));
  t.is(await positions().load(0), 140);
});

test('a Blob store restored meanwhile is noticed when the next position is saved', async (t) => {
  const { texts, positions } = world();
  const running = positions();
  await running.load(0);
  await running.save(0, 100);
  const backup = [...texts];
  await running.save(0, 120);
  await running.save(0, 130);
  for (const [path, text] of backup) texts.set(path, text);
  t.false(await running.save(0, 150));
  t.is(await running.load(0), 0);
  t.true(await running.save(0, 150));
  t.is(await positions().load(0), 150);
});
