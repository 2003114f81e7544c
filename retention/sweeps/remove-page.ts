import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import { requestSignal } from './list-pages.ts';
import type { ErasureStep } from './open-erasures.ts';
import { removeBlobs } from './remove-blobs.ts';

const FILES_OF_A_STEP = 500;

/**
 * Removes a page of the blobs below a prefix; see {@link removeBlobs}.
 *
 * @param from null at the beginning
 */
export const removePage = async (
  blobs: Pick<EvictableBlobs, 'list' | 'remove'>,
  prefix: string,
  from: string | null,
  signal: AbortSignal,
  onFault: (path: string, fault: unknown) => void,
): Promise<ErasureStep> => {
  const { found, next } = await blobs.list(prefix, from, requestSignal(signal), FILES_OF_A_STEP);
  return { next, removed: await removeBlobs(blobs, found, signal, onFault) };
};
