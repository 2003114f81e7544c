import { isLeft } from 'fp-ts/lib/Either.js';
import type { ProofBlobs } from '../platform/blob-store/proof-blobs.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { verifyCheckpointByChain } from '../platform/proof-log/heads-log.ts';
import { loadKeyChain } from '../platform/proof-log/key-chain.ts';
import { NotExtended } from '../platform/proof-log/not-extended.ts';
import type { SignedSize } from '../platform/proof-log/partition-check.ts';
import type { ProofPaths } from '../platform/proof-log/proof-paths.ts';
import { verifyLog } from '../platform/proof-log/verify-log.ts';
import type { VerifierKey } from '../proofs/notes/keys.ts';

const MAX_DIFFERENCES = 5;

/**
 * Checks the whole log as `renderctl verify log` does: every signed head, and that the log of heads extends the one of
 * the previous check. At its start, a notary reads only the newest tiles. That is not enough: the owner of the key
 * could have rewritten the past with matching tiles. Rejects with `NotExtended` if a record differs from what was
 * signed.
 *
 * @returns number of verified records; null if no head is signed, or the check was stopped
 */
export const createLogCheck = (deps: {
  readonly log: Pick<EventLog, 'bounds' | 'replay'>;
  readonly blobs: Pick<ProofBlobs, 'read'>;
  readonly paths: ProofPaths;
  readonly keys: readonly VerifierKey[];
  /** Awaited before each partition, so that signing runs in between. */
  readonly pace: () => Promise<void>;
  readonly stop: AbortSignal;
}): (() => Promise<number | null>) => {
  const { blobs, paths, keys, pace, stop } = deps;
  let before: SignedSize | null = null;
  return async () => {
    const found = await blobs.read(paths.checkpoint);
    if (found === null) return null;
    const chain = await loadKeyChain({ blobs, paths }, keys);
    if (isLeft(chain)) throw new NotExtended(chain.left);
    const opened = verifyCheckpointByChain(found.bytes.toString('utf8'), chain.right);
    if (isLeft(opened)) throw new NotExtended(`${paths.checkpoint}: ${opened.left}`);
    const newest = opened.right;
    if (before !== null && newest.size < before.size)
      throw new NotExtended(`the log of heads has ${newest.size} entries, but ${before.size} were signed`);
    const kept = before === null ? [] : [before];
    const { differences, partitions } = await verifyLog(deps, {
      ...{ kept, newest, topics: null, stop, pace },
      handed_over: chain.right.successions,
    });
    if (stop.aborted) return null;
    if (differences.length > 0) throw new NotExtended(differences.slice(0, MAX_DIFFERENCES).join('; '));
    before = newest;
    return partitions.reduce((sum, { signed }) => sum + signed, 0);
  };
};
