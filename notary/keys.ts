import type { ProofBlobs } from '../platform/blob-store/proof-blobs.ts';
import type { ProofPaths } from '../platform/proof-log/proof-paths.ts';
import { type VerifierKey, verifierKeyText } from '../proofs/notes/keys.ts';

/** Lists the keys, the one that signs now first. Whoever trusts them has them from people, and compares. */
export const writeKeys = async (
  blobs: Pick<ProofBlobs, 'read' | 'replace'>,
  paths: ProofPaths,
  keys: readonly VerifierKey[],
): Promise<void> => {
  const bytes = Buffer.from(keys.map((key) => `${verifierKeyText(key)}\n`).join(''));
  const there = await blobs.read(paths.keys);
  // Where another notary writes at the same time, what it writes counts until the next start.
  if (there?.bytes.equals(bytes) !== true) await blobs.replace(paths.keys, bytes, there?.version ?? null);
};
