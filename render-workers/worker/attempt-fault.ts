import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import { freeBytes } from '../local-files/free-space.ts';

/** Less free space than this, and no attempt is begun. */
const LEAST_FREE_BYTES = 512 * 1024 * 1024;

/** What kept an attempt from its end that is no fault of the composition. `detail` is a short code, for operators. */
export class Surroundings extends Error {
  override readonly name = 'Surroundings';
  readonly detail: string;
  constructor(detail: string, message: string) {
    super(message);
    this.detail = detail;
  }
}

/** Also where the disk filled while a blob was written to it, which is a blob fault then. */
const isDiskFull = (fault: unknown): boolean =>
  fault instanceof Error && (('code' in fault && fault.code === 'ENOSPC') || isDiskFull(fault.cause));

/** The code by which the log names a fault; its message, which may name anything, goes to the process's own log. */
export const detailOf = (fault: unknown): string => {
  if (fault instanceof Surroundings) return fault.detail;
  if (isDiskFull(fault)) return 'disk_full';
  if (fault instanceof BlobFault) return `blob_${fault.tag}`;
  return 'unexpected';
};

/** @param makeRoom lets go of what is kept in case it is needed again */
export const requireFreeSpace = async (
  folder: string,
  makeRoom: () => Promise<void>,
  least_bytes: number = LEAST_FREE_BYTES,
): Promise<void> => {
  if ((await freeBytes(folder)) >= least_bytes) return;
  await makeRoom();
  if ((await freeBytes(folder)) >= least_bytes) return;
  throw new Surroundings('disk_full', `less than ${least_bytes / 1024 ** 2} MiB are free in ${folder}`);
};
