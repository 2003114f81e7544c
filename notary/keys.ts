import type { ProofBlobs } from '../platform/blob-store/proof-blobs.ts';
import type { ProofPaths } from '../platform/proof-log/proof-paths.ts';
import { type VerifierKey, verifierKeyText } from '../proofs/notes/keys.ts';

/** Stores the list of keys. Verifiers do not trust it: they get keys from a person and compare. */
export const writeKeys = async (
  blobs: Pick<ProofBlobs, 'read' | 'replace'>,
  paths: ProofPaths,
  keys: readonly VerifierKey[],
): Promise<void> => {
  const bytes = Buffer.from(keys.map((key) => `${verifierKeyText(key)}\n`).join(''));
  const there = await blobs.read(paths.keys);
  // If two notaries write at the same time, one list is lost until the next start.
  if (there?.bytes.equals(bytes) !== true) await blobs.replace(paths.keys, bytes, there?.version ?? null);
};
