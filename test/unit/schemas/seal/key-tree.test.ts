import { randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import {
  decodeKeyTree,
  deriveLeaf,
  encodeKeyTree,
  hasLeaf,
  includesTree,
  type KeyTree,
  LEAF_COUNT,
  leafDeriver,
  MAX_TREE_BYTES,
  newTree,
  puncture,
  TREE_DEPTH,
  takeFirstLeaf,
} from '../../../../schemas/seal/key-tree.ts';
import { runs } from '../../../helpers/runs.ts';

const ROOT = newTree(randomBytes(32));
const ALL_LEAVES = Array.from({ length: LEAF_COUNT }, (_, leaf) => leaf);
const KEYS = ALL_LEAVES.map((leaf) => deriveLeaf(ROOT, leaf)?.toString('hex') ?? null);

const keysOf = (tree: KeyTree) => ALL_LEAVES.map((leaf) => deriveLeaf(tree, leaf)?.toString('hex') ?? null);
const deriver = (tree: KeyTree) => {
  const derive = leafDeriver(tree);
  return (leaf: number) => derive(leaf)?.toString('hex') ?? null;
};
const decoded = (bytes: Buffer): KeyTree => {
  const tree = decodeKeyTree(bytes);
  if (E.isLeft(tree)) throw new Error(tree.left);
  return tree.right;
};

const LEAF = fc.integer({ min: 0, max: LEAF_COUNT - 1 });
/** Scattered leaves, and ranges of neighbours, in any order and with repeats. */
const LEAVES = fc
  .array(fc.tuple(LEAF, fc.integer({ min: 1, max: 300 })), { maxLength: 12 })
  .chain((ranges) =>
    fc.tuple(
      fc.constant(ranges.flatMap(([from, count]) => ALL_LEAVES.slice(from, from + count))),
      fc.array(LEAF, { maxLength: 40 }),
    ),
  )
  .map(([near, scattered]) => [...near, ...scattered]);

test('a tree has 1,024 leaves with distinct keys', (t) => {
  t.is(LEAF_COUNT, 1_024);
  t.is(new Set(KEYS).size, LEAF_COUNT);
  t.false(KEYS.includes(null));
});

test('after any punctures exactly the punctured leaves cannot be derived', (t) => {
  fc.assert(
    fc.property(fc.array(LEAVES, { maxLength: 3 }), (rounds) => {
      const tree = rounds.reduce(puncture, ROOT);
      const punctured = new Set(rounds.flat());
      const wanted = KEYS.map((key, leaf) => (punctured.has(leaf) ? null : key));
      // Texts, because a deep comparison of long lists takes seconds.
      t.is(keysOf(tree).join(), wanted.join());
      t.is(ALL_LEAVES.filter((leaf) => !hasLeaf(tree, leaf)).join(), [...punctured].toSorted((a, b) => a - b).join());
      const asked = [...rounds.flat(), ...ALL_LEAVES];
      t.is(asked.map(deriver(tree)).join(), asked.map((leaf) => wanted[leaf]).join());
    }),
    { numRuns: runs(60) },
  );
});

test('punctures in any order and grouping give the same nodes', (t) => {
  fc.assert(
    fc.property(LEAVES, (leaves) => {
      const together = puncture(ROOT, leaves);
      const separate = [...leaves].reverse().reduce((tree: KeyTree, leaf) => puncture(tree, [leaf]), ROOT);
      t.deepEqual(separate.nodes, together.nodes);
      t.is(together.write_counter, leaves.length === 0 ? 0 : 1);
      t.is(separate.write_counter, new Set(leaves).size);
    }),
    { numRuns: runs(100) },
  );
});

test('a puncture adds at most ten nodes, and no tree exceeds 18 KB', (t) => {
  fc.assert(
    fc.property(LEAVES, LEAF, (leaves, leaf) => {
      const before = puncture(ROOT, leaves);
      t.true(puncture(before, [leaf]).nodes.length <= before.nodes.length + TREE_DEPTH - 1);
      t.true(encodeKeyTree(before).length <= MAX_TREE_BYTES);
    }),
    { numRuns: runs(100) },
  );
  const every_second = puncture(
    ROOT,
    ALL_LEAVES.filter((leaf) => leaf % 2 === 0),
  );
  t.is(encodeKeyTree(every_second).length, MAX_TREE_BYTES);
  t.is(MAX_TREE_BYTES, 17_961);
});

test('no node of a punctured tree derives a punctured leaf', (t) => {
  const leaf = 517;
  const { nodes } = puncture(ROOT, [leaf]);
  t.is(nodes.length, TREE_DEPTH);
  for (const { depth, path } of nodes) t.not(leaf >> (TREE_DEPTH - depth), path);
});

test('a repeated puncture changes nothing, and numbers that are no leaves are ignored', (t) => {
  const tree = puncture(ROOT, [3]);
  t.is(puncture(tree, [3, 3]), tree);
  t.is(puncture(ROOT, [-1, LEAF_COUNT, 0.5, Number.NaN]), ROOT);
  for (const leaf of [-1, LEAF_COUNT, 0.5, Number.NaN]) t.is(deriveLeaf(ROOT, leaf), null);
});

test('a writer takes the leaves in order, and keeps no used key', (t) => {
  let tree: KeyTree = ROOT;
  for (const leaf of ALL_LEAVES) {
    const taken = takeFirstLeaf(tree);
    tree = taken?.rest ?? tree;
    t.deepEqual(
      { leaf: taken?.leaf, key: taken?.key.toString('hex'), is_kept: hasLeaf(tree, leaf) },
      { leaf, key: KEYS[leaf] ?? undefined, is_kept: false },
    );
    t.true(tree.nodes.length <= TREE_DEPTH);
  }
  t.is(takeFirstLeaf(tree), null);
});

test('a tree includes what is left of it, and no other keys', (t) => {
  fc.assert(
    fc.property(LEAVES, LEAVES, (leaves, more) => {
      const tree = puncture(ROOT, leaves);
      const smaller = puncture(tree, more);
      t.true(includesTree(tree, smaller));
      t.is(includesTree(smaller, tree), smaller === tree);
    }),
    { numRuns: runs(100) },
  );
  t.false(includesTree(newTree(randomBytes(32)), ROOT));
});

test('a tree survives its file format unchanged', (t) => {
  fc.assert(
    fc.property(LEAVES, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (leaves, write_counter) => {
      const tree = { ...puncture(ROOT, leaves), write_counter };
      t.deepEqual(decoded(encodeKeyTree(tree)), tree);
    }),
    { numRuns: runs(100) },
  );
  const empty = puncture(ROOT, ALL_LEAVES);
  t.deepEqual(decoded(encodeKeyTree(empty)).nodes, []);
});

test('an altered, truncated or extended tree is a fault, never a punctured tree', (t) => {
  const bytes = encodeKeyTree(puncture(ROOT, [1, 700]));
  for (let at = 0; at < bytes.length; at += 1) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(at) ^ (1 << (at % 8)), at);
    t.true(E.isLeft(decodeKeyTree(altered)), `byte ${at}`);
    t.true(E.isLeft(decodeKeyTree(bytes.subarray(0, at))), `${at} bytes`);
  }
  t.true(E.isLeft(decodeKeyTree(Buffer.concat([bytes, Buffer.alloc(35)]))));
});

test('nodes that overlap, are not sorted or lie outside are a fault', (t) => {
  const key = randomBytes(32);
  const FAULTS: KeyTree['nodes'][] = [
    [
      { depth: 0, path: 0, key },
      { depth: 10, path: 5, key },
    ],
    [
      { depth: 1, path: 1, key },
      { depth: 1, path: 0, key },
    ],
    [{ depth: 2, path: 4, key }],
    [{ depth: 11, path: 0, key }],
  ];
  for (const nodes of FAULTS) t.true(E.isLeft(decodeKeyTree(encodeKeyTree({ write_counter: 1, nodes }))));
});
