import test from 'ava';
import { erasureNotePath, erasurePositions } from '../../../retention/erasure/positions.ts';
import { memoryBlobs } from '../../helpers/versioned-blobs.ts';

const world = () => {
  const memory = memoryBlobs();
  const stored = new Map<number, number>();
  const positions = () =>
    erasurePositions(
      {
        load: async (_topic, partition) => stored.get(partition) ?? 0,
        save: async (_topic, partition, next) => void stored.set(partition, Math.max(next, stored.get(partition) ?? 0)),
      },
      memory.blobs,
    );
  const write = (text: string): void =>
    void memory.contents.set(erasureNotePath(0), { bytes: Buffer.from(text), version: 'test' });
  return { contents: memory.contents, blobs: memory.blobs, stored, positions, write };
};

test('an erasure position survives a crash between its two writes', async (t) => {
  const { positions, write } = world();
  const first = positions();
  t.is(await first.load(0), 0);
  t.true(await first.save(0, 100));
  t.true(await first.save(0, 120));
  t.is(await positions().load(0), 120);
  write(JSON.stringify({ before: 120, next: 130 }));
  const second = positions();
  t.is(await second.load(0), 120);
  t.true(await second.save(0, 140));
  t.is(await positions().load(0), 140);
});

test('a position is saved again after the answer of Blob was lost', async (t) => {
  const { positions, blobs } = world();
  const running = positions();
  await running.load(0);
  await running.save(0, 100);
  const { replace } = blobs;
  Object.assign(blobs, {
    replace: async (...args: Parameters<typeof replace>) => {
      await replace(...args);
      throw new Error('no answer');
    },
  });
  await t.throwsAsync(running.save(0, 120));
  Object.assign(blobs, { replace });
  t.true(await running.save(0, 120));
  t.is(await positions().load(0), 120);
});

test('a Blob store restored meanwhile is noticed when the next position is saved', async (t) => {
  const { contents, positions } = world();
  const running = positions();
  await running.load(0);
  await running.save(0, 100);
  const backup = [...contents];
  await running.save(0, 120);
  await running.save(0, 130);
  for (const [path, blob] of backup) contents.set(path, blob);
  t.false(await running.save(0, 150));
  t.is(await running.load(0), 0);
  t.true(await running.save(0, 150));
  t.is(await positions().load(0), 150);
});

test('a store restored meanwhile is noticed before and while the next position is saved', async (t) => {
  const { stored, positions } = world();
  const running = positions();
  await running.load(0);
  await running.save(0, 100);
  const backup = [...stored];
  await running.save(0, 120);
  await running.save(0, 130);
  t.true(await running.isCurrent(0));
  for (const [partition, next] of backup) stored.set(partition, next);
  t.false(await running.isCurrent(0));
  t.false(await running.save(0, 150));
  t.is(await running.load(0), 0);
  t.true(await running.isCurrent(0));
  t.true(await running.save(0, 150));
  t.is(await positions().load(0), 150);
});

test('all processes begin at the first record when erasures must be repeated', async (t) => {
  const { positions } = world();
  const [running, other] = [positions(), positions()];
  await running.load(0);
  await other.repeatAll([0]);
  // Also before the first note, because the process may have passed an erasure already.
  t.false(await running.isCurrent(0));
  t.false(await running.save(0, 50));
  t.is(await running.load(0), 0);
  t.true(await running.isCurrent(0));
  t.true(await running.save(0, 50));
  t.true(await running.isCurrent(0));
  await other.repeatAll([0]);
  t.is(await positions().load(0), 0);
  t.false(await running.save(0, 60));
  await running.load(0);
  await other.repeatAll([0]);
  t.false(await running.save(0, 60));
  t.is(await running.load(0), 0);
});

test('a repeat is not lost while another process saves its position', async (t) => {
  const { positions, blobs } = world();
  const [running, other] = [positions(), positions()];
  await running.load(0);
  await running.save(0, 50);
  const { replace } = blobs;
  Object.assign(blobs, {
    replace: async (...args: Parameters<typeof replace>) => {
      Object.assign(blobs, { replace });
      await other.repeatAll([0]);
      return await replace(...args);
    },
  });
  t.false(await running.save(0, 60));
  t.is(await running.load(0), 0);
});
