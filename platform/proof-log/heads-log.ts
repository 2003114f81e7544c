import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { type Head, type HeadsEntry, parseHeadsEntry } from '../../proofs/heads/heads-entry.ts';
import { TILE_WIDTH } from '../../proofs/merkle/growing-tree.ts';
import { type Checkpoint, parseCheckpoint } from '../../proofs/notes/checkpoint.ts';
import type { VerifierKey } from '../../proofs/notes/keys.ts';
import { parseNote, type SignedNote } from '../../proofs/notes/signed-note.ts';
import { type KeyChain, signerOfCheckpoint } from '../../proofs/notes/succession.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import { NotExtended } from './not-extended.ts';
import { partitionText } from './notarized-topics.ts';
import type { ProofPaths } from './proof-paths.ts';
import { headsEntries } from './stored-tiles.ts';

export type SignedCheckpoint = Checkpoint & { readonly note: SignedNote; readonly signed_by: VerifierKey };

/** Null if the text is a signed checkpoint. Does not check by which key. */
export const checkpointFault = (text: string): string | null => {
  if (text.trim() === '') return 'it is empty';
  if (/^\uFEFF?\s*</.test(text)) return 'it is XML or HTML, such as an error page; fetch it with "curl -fsS"';
  const note = parseNote(text);
  if (isLeft(note)) return note.left;
  const checkpoint = parseCheckpoint(note.right.text);
  return isLeft(checkpoint) ? checkpoint.left : null;
};

/** Left: the checkpoint has no valid signature of the chain under the name of its log. */
export const verifyCheckpointByChain = (text: string, chain: KeyChain): Either<string, SignedCheckpoint> => {
  const note = parseNote(text);
  if (isLeft(note)) return note;
  const checkpoint = parseCheckpoint(note.right.text);
  if (isLeft(checkpoint)) return checkpoint;
  const signed_by = signerOfCheckpoint(note.right, checkpoint.right, chain);
  return isLeft(signed_by) ? signed_by : right({ ...checkpoint.right, note: note.right, signed_by: signed_by.right });
};

/** Like `verifyCheckpointByChain`, but accepts only these keys, without their successors. */
export const verifyCheckpoint = (text: string, keys: readonly VerifierKey[]): Either<string, SignedCheckpoint> =>
  verifyCheckpointByChain(text, { keys, successions: [] });

export type StoredEntry = HeadsEntry & { readonly index: number; readonly bytes: Buffer };

export const parseEntry = (index: number, bytes: Buffer): StoredEntry => {
  const entry = parseHeadsEntry(bytes.toString('utf8'));
  if (isLeft(entry)) throw new NotExtended(`entry ${index} of the log of heads is invalid: ${entry.left}`);
  return { ...entry.right, index, bytes };
};

export async function* entriesFrom(
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  from: number,
  size: number,
): AsyncIterable<StoredEntry> {
  for (let bundle = Math.floor(from / TILE_WIDTH); bundle * TILE_WIDTH < size; bundle += 1) {
    const first = bundle * TILE_WIDTH;
    const width = Math.min(TILE_WIDTH, size - first);
    const entries = await headsEntries(blobs, paths, bundle, width);
    if (entries === null) throw new NotExtended(`${paths.entries(bundle, width)} is missing`);
    for (const [i, bytes] of entries.entries()) if (first + i >= from) yield parseEntry(first + i, bytes);
  }
}

/** The newest head of each partition. Every bundle names all partitions, so the last two bundles are enough. */
export const readLastHeads = async (
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  size: number,
): Promise<ReadonlyMap<string, Head & { readonly entry: StoredEntry }>> => {
  const begun = Math.floor(size / TILE_WIDTH) * TILE_WIDTH;
  const heads = new Map<string, Head & { readonly entry: StoredEntry }>();
  for await (const entry of entriesFrom(blobs, paths, Math.max(0, begun - TILE_WIDTH), size))
    for (const head of entry.heads) heads.set(partitionText(head), { ...head, entry });
  return heads;
};
