import type { ProofBlobs } from '../../../platform/blob-store/proof-blobs.ts';
import type { EventLog } from '../../../platform/event-log/event-log.ts';
import { entriesFrom } from '../../../platform/proof-log/heads-log.ts';
import { partitionText } from '../../../platform/proof-log/notarized-topics.ts';
import { allLeaves } from '../../../platform/proof-log/partition-leaves.ts';
import type { ProofPaths } from '../../../platform/proof-log/proof-paths.ts';
import { appendLeaves, EMPTY_TREE, rootOf } from '../../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../../proofs/merkle/hashes.ts';

export const rootOfLeaves = (leaves: readonly Buffer[]): Buffer => rootOf(appendLeaves(EMPTY_TREE, leaves).tree);

export const readHeads = async (
  log: Pick<EventLog, 'replay' | 'bounds'>,
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  size: number,
) => {
  const wrong: string[] = [];
  const entries: Buffer[] = [];
  const known = new Map<string, readonly Buffer[]>();
  for await (const entry of entriesFrom(blobs, paths, 0, size)) {
    entries.push(leafHash(entry.bytes));
    for (const head of entry.heads) {
      const place = partitionText(head);
      const end = (await log.bounds(head.topic)).find(({ partition }) => partition === head.partition)?.end ?? 0;
      const leaves = known.get(place) ?? (await allLeaves(log, head, 0, end));
      known.set(place, leaves);
      if (!rootOfLeaves(leaves.slice(0, head.size)).equals(head.root))
        wrong.push(`${entry.index} ${place} ${head.size}`);
    }
  }
  return { entries, wrong };
};
