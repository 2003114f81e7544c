import test from 'ava';
import fc from 'fast-check';
import { rootOf, treeEdgeOfSize } from '../../../proofs/merkle/growing-tree.ts';
import { EMPTY_ROOT, leafHash } from '../../../proofs/merkle/hashes.ts';
import { consistencyProof, inclusionProof, verifyConsistency, verifyInclusion } from '../../../proofs/merkle/proofs.ts';
import { runs } from '../../helpers/runs.ts';
import { naivePath, naiveProof, naiveRoot } from './_naive.ts';
import { grownBy, leafData, nodesOf } from './_trees.ts';

/** From the tests of Certificate Transparency. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test('roots match the test vectors of other implementations', (t) => {
  const leaves = LEAVES.map((hex) => Buffer.from(hex, 'hex'));
  t.deepEqual(
    leaves.map((_, i) => rootOf(grownBy([i + 1], leaves).tree).toString('hex')),
    ROOTS,
  );
  t.is(EMPTY_ROOT.toString('hex'), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  t.deepEqual(rootOf(grownBy([], []).tree), EMPTY_ROOT);
});

const size = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.constantFrom(255, 256, 257, 511, 512, 513, 768),
  fc.nat(1_500),
);

test('a tree that grows by steps equals one built at once', (t) => {
  fc.assert(
    fc.property(fc.array(size, { maxLength: 5 }), (steps) => {
      const leaves = leafData(steps.reduce((sum, step) => sum + step, 0));
      const { tree, tiles } = grownBy(steps, leaves);
      t.deepEqual(rootOf(tree), naiveRoot(leaves));
      t.deepEqual(
        treeEdgeOfSize(tree.size).map(({ width }) => width),
        tree.edge.map((hashes) => hashes.length),
      );
      const at_once = grownBy([leaves.length], leaves);
      t.deepEqual([...tiles].toSorted(), [...at_once.tiles].toSorted());
    }),
    { numRuns: runs(60) },
  );
});

test('proofs from tiles match the definition, and prove nothing else', async (t) => {
  await fc.assert(
    fc.asyncProperty(size, fc.nat(), fc.nat(), fc.nat(255), async (count, a, b, byte) => {
      const leaves = leafData(Math.max(1, count));
      const built = grownBy([leaves.length], leaves);
      const read = nodesOf(built);
      const root = rootOf(built.tree);
      const index = a % leaves.length;
      const old = b % (leaves.length + 1);

      const path = await inclusionProof(index, leaves.length, read);
      t.deepEqual(path, naivePath(index, leaves));
      const leaf = leafHash(leaves[index] ?? Buffer.of());
      const inclusion = { leaf, index, size: leaves.length, root, proof: path };
      t.true(verifyInclusion(inclusion));

      const proof = await consistencyProof(old, leaves.length, read);
      t.deepEqual(proof, old === 0 ? [] : naiveProof(old, leaves));
      const old_root = naiveRoot(leaves.slice(0, old));
      const consistency = { old: { size: old, root: old_root }, size: leaves.length, root, proof };
      t.true(verifyConsistency(consistency));

      const other = Buffer.alloc(32, byte);
      t.false(verifyInclusion({ ...inclusion, leaf: other }));
      t.false(verifyInclusion({ ...inclusion, root: other }));
      t.false(verifyInclusion({ ...inclusion, proof: [...path, other] }));
      t.false(verifyInclusion({ ...inclusion, index: leaves.length }));
      if (path.length > 0) {
        t.false(verifyInclusion({ ...inclusion, proof: path.slice(1) }));
        t.false(verifyInclusion({ ...inclusion, proof: path.with(byte % path.length, other) }));
      }
      t.false(verifyConsistency({ ...consistency, proof: [...proof, other] }));
      if (old > 0) {
        t.false(verifyConsistency({ ...consistency, old: { size: old, root: other } }));
        t.false(verifyConsistency({ ...consistency, root: other }));
      }
      if (proof.length > 0) t.false(verifyConsistency({ ...consistency, proof: proof.slice(0, -1) }));
    }),
    { numRuns: runs(120) },
  );
});

test('a larger tree has three levels of tiles', async (t) => {
  const leaves = leafData(256 * 256 + 300);
  const built = grownBy([70_000], leaves);
  t.deepEqual(
    built.tree.edge.map((hashes) => hashes.length),
    [44, 1, 1],
  );
  t.true(built.tiles.has('1/0'));
  const root = rootOf(built.tree);
  for (const index of [0, 255, 256, 65_535, 65_536, 65_800, leaves.length - 1]) {
    const proof = await inclusionProof(index, leaves.length, nodesOf(built));
    const leaf = leafHash(leaves[index] ?? Buffer.of());
    t.true(verifyInclusion({ leaf, index, size: leaves.length, root, proof }), String(index));
  }
  const old = { size: 65_536, root: rootOf(grownBy([65_536], leaves).tree) };
  const proof = await consistencyProof(old.size, leaves.length, nodesOf(built));
  t.true(verifyConsistency({ old, size: leaves.length, root, proof }));
});
