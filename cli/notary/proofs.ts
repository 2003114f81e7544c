import * as E from 'fp-ts/lib/Either.js';
import type { ProofBlobs, SharedAccess } from '../../platform/blob-store/proof-blobs.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { type SignedCheckpoint, verifyCheckpointByChain } from '../../platform/proof-log/heads-log.ts';
import { loadKeyChain, loadListedKeys } from '../../platform/proof-log/key-chain.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import type { ProofPaths } from '../../platform/proof-log/proof-paths.ts';
import type { VerifierKey } from '../../proofs/notes/keys.ts';
import type { KeyChain } from '../../proofs/notes/succession.ts';
import type { CliFault } from '../fault.ts';

export type Proofs = {
  readonly origin: string;
  readonly paths: ProofPaths;
  readonly blobs: Pick<ProofBlobs, 'read' | 'replace'>;
  readonly log: EventLog;
  readonly share: (now_ms: number, lifetime_ms: number) => SharedAccess;
};

/** Converts a mismatch with the signatures into a fault. */
export const withMismatchAsFault = async <A>(
  what: string,
  work: () => Promise<E.Either<CliFault, A>>,
): Promise<E.Either<CliFault, A>> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotExtended) return E.left({ tag: 'not_as_signed', what, differences: [error.message] });
    throw error;
  }
};

const NOTHING_SIGNED: CliFault = {
  tag: 'refused',
  reason: 'nothing_signed',
  message: 'the log is not signed yet: is the notary running?',
};

type Stored = { readonly blobs: Pick<ProofBlobs, 'read'>; readonly paths: ProofPaths };

export type ReadProofs = Stored & { readonly origin: string; readonly log: Pick<EventLog, 'bounds' | 'replay'> };

export const keySuccessionFault = (message: string): CliFault => ({
  ...{ tag: 'not_as_signed', what: 'the succession of keys' },
  differences: [message],
});

/** The keys that are stored next to the log of heads, the current signer first. */
export const readListedKeys = async (stored: Stored): Promise<E.Either<CliFault, readonly VerifierKey[]>> => {
  const keys = await loadListedKeys(stored);
  return keys.length === 0 ? E.left(NOTHING_SIGNED) : E.right(keys);
};

/** The listed keys and their successors. */
export const readListedKeyChain = async (stored: Stored): Promise<E.Either<CliFault, KeyChain>> => {
  const keys = await readListedKeys(stored);
  return E.isLeft(keys) ? keys : E.mapLeft(keySuccessionFault)(await loadKeyChain(stored, keys.right));
};

export const readPublishedCheckpoint = async (
  { blobs, paths }: Stored,
  chain: KeyChain,
): Promise<E.Either<CliFault, { readonly text: string; readonly checkpoint: SignedCheckpoint }>> => {
  const found = await blobs.read(paths.checkpoint);
  if (found === null) return E.left(NOTHING_SIGNED);
  const text = found.bytes.toString('utf8');
  return E.bimap(
    (message: string): CliFault => ({ tag: 'not_as_signed', what: 'the checkpoint', differences: [message] }),
    (checkpoint: SignedCheckpoint) => ({ text, checkpoint }),
  )(verifyCheckpointByChain(text, chain));
};
