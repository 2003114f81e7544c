import * as E from 'fp-ts/lib/Either.js';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { type SignedCheckpoint, verifyCheckpoint } from '../../platform/proof-log/heads-log.ts';
import { trustedKeys } from '../../platform/proof-log/key-chain.ts';
import { type CheckedPartition, verifyLog } from '../../platform/proof-log/verify-log.ts';
import { type VerifierKey, verifierKeyText } from '../../proofs/notes/keys.ts';
import { keySuccessionsBetween } from '../../proofs/notes/succession.ts';
import type { CliFault } from '../fault.ts';
import {
  keySuccessionFault,
  type ReadProofs,
  readListedKeys,
  readPublishedCheckpoint,
  withMismatchAsFault,
} from '../notary/proofs.ts';
import { type SuccessionAnswer, successionAnswer } from '../notary/succession-text.ts';

export type VerifiedTopics = {
  readonly log: string;
  readonly keys: readonly string[];
  /** True if the keys come from the list that is stored next to the proofs, false if the caller gave them. */
  readonly listed: boolean;
  readonly signed_by: string;
  /** Successions from a given key to the signing key; empty if the signing key was given. */
  readonly successions: readonly SuccessionAnswer[];
  readonly checkpoints: readonly number[];
  readonly partitions: readonly CheckedPartition[];
};

export type SavedCheckpointFile = { readonly path: string; readonly text: string };

export type VerifyTopicsOptions = {
  /** Null selects all topics in the log of heads. */
  readonly topics: readonly string[] | null;
  /** Null selects the keys that are listed next to the proofs. */
  readonly keys: readonly VerifierKey[] | null;
  readonly checkpoints: readonly SavedCheckpointFile[];
  readonly stop: AbortSignal;
  readonly onProgress: (place: string, done: number, all: number) => void;
};

const PROGRESS_MS = 2_000;

/** The caller's checkpoints that belong to this log and are signed by one of the keys. */
const keptCheckpoints = (
  origin: string,
  files: readonly SavedCheckpointFile[],
  keys: readonly VerifierKey[],
): E.Either<CliFault, readonly SignedCheckpoint[]> => {
  const kept: SignedCheckpoint[] = [];
  for (const { path, text } of files) {
    const opened = verifyCheckpoint(text, keys);
    if (E.isLeft(opened))
      return E.left({ tag: 'refused', reason: 'no_checkpoint', message: `${path}: ${opened.left}` });
    if (opened.right.origin !== origin) {
      const message = `${path} belongs to ${opened.right.origin}, but this log is ${origin}`;
      return E.left({ tag: 'refused', reason: 'another_log', message });
    }
    kept.push(opened.right);
  }
  return E.right(kept.toSorted((a, b) => a.size - b.size));
};

/**
 * Computes the Merkle trees from the log, and compares them with the stored tiles and with every head below the newest
 * checkpoint. The newest checkpoint must be consistent with the caller's checkpoints.
 */
export const verifyTopics = (
  proofs: ReadProofs,
  options: VerifyTopicsOptions,
): Promise<E.Either<CliFault, VerifiedTopics>> =>
  withMismatchAsFault('the log', async () => {
    const { origin, blobs, paths, log } = proofs;
    const keys = options.keys === null ? await readListedKeys(proofs) : E.right(options.keys);
    if (E.isLeft(keys)) return keys;
    const trusted = await trustedKeys(proofs, keys.right);
    if (E.isLeft(trusted)) return E.left(keySuccessionFault(trusted.left));
    const { chain, of_kept, successions } = trusted.right;
    const newest = await readPublishedCheckpoint(proofs, chain);
    if (E.isLeft(newest)) return newest;
    const kept = keptCheckpoints(origin, options.checkpoints, of_kept);
    if (E.isLeft(kept)) return kept;
    const { checkpoint } = newest.right;
    if (checkpoint.origin !== origin)
      return E.left({
        tag: 'not_as_signed',
        what: origin,
        differences: [`its checkpoint belongs to ${checkpoint.origin}`],
      });
    const beyond = kept.right.find(({ size }) => size > checkpoint.size);
    if (beyond !== undefined) {
      const differences = [`the log of heads has ${checkpoint.size} entries, but ${beyond.size} were signed`];
      return E.left({ tag: 'not_as_signed', what: origin, differences });
    }

    let told_at = SYSTEM_CLOCK.monotonic();
    const onProgress = (place: string, done: number, all: number): void => {
      if (SYSTEM_CLOCK.monotonic() - told_at < PROGRESS_MS) return;
      told_at = SYSTEM_CLOCK.monotonic();
      options.onProgress(place, done, all);
    };
    const { topics, stop } = options;
    const verified = await verifyLog(
      { log, blobs, paths },
      { kept: kept.right, newest: checkpoint, handed_over: successions, topics, stop, onProgress },
    );
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    const { differences, partitions } = verified;
    return differences.length > 0
      ? E.left({ tag: 'not_as_signed', what: origin, differences })
      : E.right({
          log: origin,
          keys: keys.right.map(verifierKeyText),
          listed: options.keys === null,
          signed_by: verifierKeyText(checkpoint.signed_by),
          successions: keySuccessionsBetween(keys.right, checkpoint.signed_by, chain).map(successionAnswer),
          checkpoints: [...kept.right, checkpoint].map(({ size }) => size),
          partitions,
        });
  });
