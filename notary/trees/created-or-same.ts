import type { ProofBlobs } from '../../platform/blob-store/proof-blobs.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';

/** Creates a blob whose content follows from signed data. An existing blob must have the same bytes. */
export const createOrCompare = async (
  blobs: Pick<ProofBlobs, 'read' | 'create'>,
  path: string,
  bytes: Buffer,
  otherwise: () => string = () => `${path} does not match the entries`,
): Promise<void> => {
  if (await blobs.create(path, bytes)) return;
  const there = await blobs.read(path);
  if (there?.bytes.equals(bytes) !== true) throw new NotExtended(otherwise());
};
