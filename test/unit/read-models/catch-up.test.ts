import test from 'ava';
import { rolledBackPartitions } from '../../../projectors/checkpoint/watch-checkpoints.ts';
import { behindText, findLag, findLostRecords } from '../../../read-models/catch-up.ts';

const at = (_id: number, next: number, target?: number) => ({
  _id,
  next,
  ...(target === undefined ? {} : { target }),
});

test('a read model is behind until every partition reaches its target', (t) => {
  const of = (...checkpoints: ReturnType<typeof at>[]) => findLag('renders', 2, checkpoints, new Map());
  t.is(of(at(0, 7, 7), at(1, 9, 4)), null);
  t.deepEqual(of(at(0, 6, 7), at(1, 9, 4)), { read_model: 'renders', folded: 15, of: 16 });
  t.is(of(at(0, 7), at(1, 9)), null, 'documents of earlier code have no target');
});

test('a partition that no projector has opened counts as behind', (t) => {
  const behind = findLag('renders', 2, [at(0, 7, 7)], new Map());
  t.deepEqual(behind, { read_model: 'renders', folded: 7, of: null });
  t.is(behindText(behind === null ? [] : [behind]), 'renders: no projector has reported its position yet');
  t.is(behindText([]), null);
});

test('a rolled back store is behind the positions seen before', (t) => {
  const seen = new Map<number, number>();
  t.is(findLag('catalogue', 1, [at(0, 20, 3)], seen), null);
  t.deepEqual(findLag('catalogue', 1, [at(0, 12, 3)], seen), { read_model: 'catalogue', folded: 12, of: 20 });
  t.deepEqual(findLag('catalogue', 1, [], seen), { read_model: 'catalogue', folded: 0, of: null });
  t.is(findLag('catalogue', 1, [at(0, 20, 20)], seen), null);
});

test('a closed generation has no position', (t) => {
  t.is(findLag('renders', 1, [{ ...at(0, -1, 9), closed: { next: 9, chain: '' } }], new Map([[0, 9]])), null);
});

test('a log that ends before the folded position is a restored log', (t) => {
  const ends = new Map([
    [0, 7],
    [1, 4],
  ]);
  t.is(findLostRecords([at(0, 7), at(1, 3), at(2, 9)], ends), null, 'a partition without a leader has no position');
  t.is(findLostRecords([{ ...at(1, 9), closed: { next: 9, chain: '' } }], ends), null);
  const lost = findLostRecords([at(0, 7), at(1, 9)], ends);
  t.deepEqual(lost, { partition: 1, end: 4, folded: 9 });
  t.is(
    behindText([{ read_model: 'renders', folded: 0, of: null, ...(lost && { lost }) }]),
    'renders: render-events/1 ends at 4, and 9 of its records are folded: an older log was restored. Restore the newest copy (docs/backup.md)',
  );
});

test('a projector finds the partitions that the store lost', (t) => {
  const held = new Map([
    [0, 5],
    [1, 5],
    [2, 0],
  ]);
  t.deepEqual(rolledBackPartitions(held, [at(0, 5), at(1, 4), at(2, 0)]), [1]);
  t.deepEqual(rolledBackPartitions(held, []), [0, 1, 2], 'the checkpoint of an empty partition must exist too');
  t.deepEqual(rolledBackPartitions(held, [at(0, 8), { ...at(1, -1), closed: { next: 5, chain: '' } }, at(2, 0)]), []);
});
