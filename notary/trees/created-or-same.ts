import type { ProofBlobs } from '../../platform/blob-store/proof-blobs.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';

/** Stores a blob that follows from what is signed. Where there is one already, it must be the same. */
export const createdOrSame = async (
  blobs: Pick<ProofBlobs, 'read' | 'create'>,
  path: string,
  bytes: Buffer,
  otherwise: () => string = () => `${path} holds something else than what follows from the entries`,
): Promise<void> => {
  if (await blobs.create(path, bytes)) return;
  const there = await blobs.read(path);
  if (there?.bytes.equals(bytes) !== true) throw new NotExtended(otherwise());
};
