import type { ProofBlobs } from '../platform/blob-store/proof-blobs.ts';
import type { Clock } from '../platform/process/clock.ts';
import type { SignerKey, VerifierKey } from '../proofs/notes/keys.ts';
import type { NotaryState } from '../read-models/notary/notary-notes.ts';
import type { TreeDependencies } from './trees/extend-tree.ts';
import type { RequestCosignatures } from './witnesses/ask-witnesses.ts';

export type NotaryDependencies = TreeDependencies & {
  readonly blobs: Pick<ProofBlobs, 'read' | 'create' | 'replace' | 'remove'>;
  readonly notes: Pick<NotaryState, 'read' | 'replace'>;
  readonly origin: string;
  readonly signer: SignerKey;
  /** Former signing keys. The notary continues checkpoints of these keys and of the successors that they signed. */
  readonly former: readonly VerifierKey[];
  readonly askWitnesses: RequestCosignatures;
  readonly clock: Pick<Clock, 'now'>;
};
