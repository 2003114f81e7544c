import { isLeft } from 'fp-ts/lib/Either.js';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { entriesFrom, verifyCheckpoint } from '../../platform/proof-log/heads-log.ts';
import type { NotarizedPartition } from '../../platform/proof-log/notarized-topics.ts';
import { allLeaves } from '../../platform/proof-log/partition-leaves.ts';
import type { ProofPaths } from '../../platform/proof-log/proof-paths.ts';
import { type Head, type HeadsEntry, headsEntryText } from '../../proofs/heads/heads-entry.ts';
import { appendLeaves, EMPTY_TREE, rootOf, TILE_WIDTH, treeEdgeOfSize } from '../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../proofs/merkle/hashes.ts';
import { checkpointText } from '../../proofs/notes/checkpoint.ts';
import type { SignerKey } from '../../proofs/notes/keys.ts';
import { noteSignature, noteText } from '../../proofs/notes/signed-note.ts';
import { bundleBytes, tileBytes } from '../../proofs/tiles/tile-bytes.ts';

/**
 * A person with the notary's key, the log and the container, who can rewrite the past and sign it. It uses nothing of
 * the notary's process, which would refuse.
 */
export type KeyHolder = {
  readonly signer: SignerKey;
  readonly log: Pick<EventLog, 'replay'>;
  readonly blobs: { readonly read: (path: string) => Promise<{ readonly bytes: Buffer } | null> };
  readonly put: (path: string, bytes: Buffer) => Promise<void>;
  readonly paths: ProofPaths;
};

export const forgedHead = async (
  { log }: Pick<KeyHolder, 'log'>,
  place: NotarizedPartition,
  size: number,
): Promise<Head> => ({
  ...{ topic: place.topic, partition: place.partition, size },
  root: rootOf(appendLeaves(EMPTY_TREE, await allLeaves(log, place, 0, size)).tree),
});

export const forgeTiles = async (
  { log, put, paths }: KeyHolder,
  place: NotarizedPartition,
  size: number,
): Promise<void> => {
  for (const { level, index, hashes } of appendLeaves(EMPTY_TREE, await allLeaves(log, place, 0, size)).tiles)
    await put(paths.partitionTile(place, level, index), tileBytes(hashes));
};

export const signEntries = async (
  { signer, put, paths }: KeyHolder,
  entries: readonly Buffer[],
): Promise<{ readonly size: number; readonly root: Buffer; readonly text: string }> => {
  for (let first = 0; first < entries.length; first += TILE_WIDTH) {
    const bundle = entries.slice(first, first + TILE_WIDTH);
    const index = first / TILE_WIDTH;
    await put(paths.entries(index, bundle.length), bundleBytes(bundle));
  }
  const { tree, tiles } = appendLeaves(EMPTY_TREE, entries.map(leafHash));
  for (const { level, index, hashes } of tiles) await put(paths.tile(level, index), tileBytes(hashes));
  for (const [level, { index, width }] of treeEdgeOfSize(tree.size).entries())
    if (width > 0) await put(paths.tile(level, index, width), tileBytes(tree.edge[level] ?? []));
  const [size, root] = [tree.size, rootOf(tree)];
  const text = checkpointText({ origin: signer.name, size, root });
  const note = noteText({ text, signatures: [noteSignature(signer, text)] });
  await put(paths.checkpoint, Buffer.from(note));
  return { size, root, text: note };
};

export const signedEntries = async ({ blobs, paths, signer }: KeyHolder): Promise<readonly Buffer[]> => {
  const opened = verifyCheckpoint((await blobs.read(paths.checkpoint))?.bytes.toString() ?? '', [signer]);
  if (isLeft(opened)) throw new Error(opened.left);
  const reading = {
    read: async (path: string) => {
      const found = await blobs.read(path);
      return found === null ? null : { bytes: found.bytes, version: '' };
    },
  };
  const entries: Buffer[] = [];
  for await (const { bytes } of entriesFrom(reading, paths, 0, opened.right.size)) entries.push(bytes);
  return entries;
};

export const appendForged = async (holder: KeyHolder, more: readonly HeadsEntry[]) =>
  await signEntries(holder, [
    ...(await signedEntries(holder)),
    ...more.map((entry) => Buffer.from(headsEntryText(entry))),
  ]);
