import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { rootOf } from '../../../proofs/merkle/growing-tree.ts';
import { consistencyProof, inclusionProof } from '../../../proofs/merkle/proofs.ts';
import { checkpointText } from '../../../proofs/notes/checkpoint.ts';
import { signerKey, verifierKeyText } from '../../../proofs/notes/keys.ts';
import { noteSignature, noteText } from '../../../proofs/notes/signed-note.ts';
import { foreignVerifier } from '../../helpers/foreign-verifier.ts';
import { grownBy, leafData, nodesOf } from '../../unit/proofs/_trees.ts';

// Go's own verifiers of its checksum log, which share no code with this project, accept the signatures and proofs.

const LARGEST = 700;
const leaves = leafData(LARGEST);
const base64 = (hashes: readonly Buffer[]): readonly string[] => hashes.map((hash) => hash.toString('base64'));
const rootAt = (size: number): string => rootOf(grownBy([size], leaves).tree).toString('base64');

const pair = generateKeyPairSync('ed25519');
const origin = 'rendering/cluster/4';
const key = signerKey('note', origin, pair.privateKey);
const text = checkpointText({ origin, size: LARGEST, root: rootOf(grownBy([LARGEST], leaves).tree) });
const signed = { key: verifierKeyText(key), note: noteText({ text, signatures: [noteSignature(key, text)] }) };

const inclusion = async (index: number, size: number) => {
  const proof = await inclusionProof(index, size, nodesOf(grownBy([size], leaves)));
  const data = leaves[index]?.toString('base64') ?? '';
  return { data, index, size, root: rootAt(size), proof: base64(proof) };
};

const consistency = async (old: number, size: number) => {
  const proof = await consistencyProof(old, size, nodesOf(grownBy([size], leaves)));
  return { old_size: old, old_root: rootAt(old), size, root: rootAt(size), proof: base64(proof) };
};

test('Go verifies checkpoints, inclusion and consistency', async (t) => {
  const places = [
    [0, 1],
    [0, 2],
    [1, 2],
    [2, 3],
    [6, 7],
    [255, 256],
    [256, 257],
    [100, 600],
    [511, 513],
    [699, 700],
  ] as const;
  const inclusions = await Promise.all(places.map(([index, size]) => inclusion(index, size)));
  const sizes = [
    [1, 1],
    [1, 2],
    [2, 3],
    [3, 7],
    [255, 256],
    [256, 257],
    [256, 512],
    [300, 700],
    [512, 700],
    [699, 700],
  ] as const;
  const consistencies = await Promise.all(sizes.map(([old, size]) => consistency(old, size)));
  const { exitCode, all } = await foreignVerifier.check({ ...signed, inclusions, consistencies });
  t.is(all, '10 inclusions, 10 consistencies');
  t.is(exitCode, 0);
});

test('Go refuses invalid checkpoints and proofs', async (t) => {
  const refused = async (statements: object) => (await foreignVerifier.check(statements)).exitCode === 1;
  const included = await inclusion(100, 600);
  t.true(await refused({ inclusions: [{ ...included, index: 101 }] }));
  t.true(await refused({ inclusions: [{ ...included, data: leaves[101]?.toString('base64') }] }));
  const consistent = await consistency(300, 700);
  t.true(await refused({ consistencies: [{ ...consistent, old_root: rootAt(299) }] }));
  t.true(await refused({ ...signed, note: signed.note.replace('\n700\n', '\n701\n') }));
});
