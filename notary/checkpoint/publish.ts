import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import { headsTile } from '../../platform/proof-log/stored-tiles.ts';
import { consistencyProof } from '../../proofs/merkle/proofs.ts';
import { checkpointText } from '../../proofs/notes/checkpoint.ts';
import { noteSignature, noteText } from '../../proofs/notes/signed-note.ts';
import { tiledNodes } from '../../proofs/tiles/tiled-nodes.ts';
import type { NotaryDependencies } from '../notary-dependencies.ts';
import { type NotaryTop, readCheckpoint, type TreeHead, toStoredTree } from './signed-top.ts';

/** Stores the next tree in MongoDB before it is published. False if another notary was faster. */
export const storePendingTree = async (
  { notes }: NotaryDependencies,
  before: TreeHead,
  next: TreeHead,
): Promise<boolean> => {
  if (await notes.replace(toStoredTree(before), toStoredTree(next))) return true;
  const found = await notes.read();
  return found?.size === next.size && found.root === toStoredTree(next).root;
};

/** Signs the next tree and replaces the checkpoint. False if another notary was faster. */
export const publish = async (deps: NotaryDependencies, top: NotaryTop, next: TreeHead): Promise<boolean> => {
  const { blobs, paths, origin, signer } = deps;
  const text = checkpointText({ origin, ...next });
  const own = noteSignature(signer, text);
  const nodes = tiledNodes(next.size, headsTile(blobs, paths));
  const { signatures, seen } = await deps.askWitnesses({
    note: { text, signatures: [own] },
    size: next.size,
    prove: (old) => consistencyProof(old, next.size, nodes),
  });
  if (seen > next.size) {
    if ((await readCheckpoint(deps)).version !== top.version) return false;
    throw new NotExtended(`a witness has seen ${seen} entries of the log of heads, and Blob has ${top.size}`);
  }
  const bytes = Buffer.from(noteText({ text, signatures: [own, ...signatures] }));
  return await blobs.replace(paths.checkpoint, bytes, top.version);
};
