import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import { isSystemError } from '../../platform/process/system-error.ts';
import { freeBytes } from '../local-files/free-space.ts';
import { DeadlinePassed } from '../metering/stage-deadline.ts';

/** With less free space than this no attempt starts. */
const LEAST_FREE_BYTES = 512 * 1024 * 1024;

/** Stops an attempt although the composition is not at fault. `detail` is a short code for operators. */
export class InfrastructureFault extends Error {
  override readonly name = 'InfrastructureFault';
  readonly detail: string;
  constructor(detail: string, message: string) {
    super(message);
    this.detail = detail;
  }
}

/** Also true of a blob fault caused by a full disk. */
const isDiskFull = (fault: unknown): boolean =>
  fault instanceof Error && (('code' in fault && fault.code === 'ENOSPC') || isDiskFull(fault.cause));

const UNEXPECTED = 'unexpected';

/** The code that the record names. The message may contain anything and goes to the process's own log only. */
export const detailOf = (fault: unknown): string => {
  if (fault instanceof InfrastructureFault) return fault.detail;
  if (isDiskFull(fault)) return 'disk_full';
  if (fault instanceof BlobFault) return `blob_${fault.tag}`;
  if (fault instanceof DeadlinePassed) return `${fault.stage}_deadline`;
  return UNEXPECTED;
};

/** Whether it is an exception that nobody thought of: a mistake of the code, or of data that it relies on. */
export const isUnexpected = (fault: unknown): boolean => detailOf(fault) === UNEXPECTED && !isSystemError(fault);

/** @param makeRoom empties caches on the disk */
export const requireFreeSpace = async (
  folder: string,
  makeRoom: () => Promise<void>,
  least_bytes: number = LEAST_FREE_BYTES,
): Promise<void> => {
  if ((await freeBytes(folder)) >= least_bytes) return;
  await makeRoom();
  if ((await freeBytes(folder)) >= least_bytes) return;
  throw new InfrastructureFault('disk_full', `less than ${least_bytes / 1024 ** 2} MiB are free in ${folder}`);
};
