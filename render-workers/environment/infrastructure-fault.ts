import type { LossReason } from '../../domain/dispatch/loss-reasons.ts';
import { BlobFault, isUnavailableOrRefused } from '../../platform/blob-store/blob-store.ts';
import { isSystemError } from '../../platform/process/system-error.ts';
import { freeBytes } from '../local-files/free-space.ts';
import { DeadlinePassed } from '../metering/stage-deadline.ts';
import type { Impediment } from './impediments.ts';

/** If a program fails with less free space than this, the program has filled the disk. */
const FILLED_BYTES = 16 * 1024 * 1024;

/** An attempt stops for a reason outside the composition. `detail` is a short code for operators. */
export class InfrastructureFault extends Error {
  override readonly name = 'InfrastructureFault';
  readonly detail: string;
  constructor(detail: string, message: string) {
    super(message);
    this.detail = detail;
  }
}

const OF_DISK: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['EROFS', 'disk_failed'],
  ['EIO', 'disk_failed'],
]);

/** Also finds a full disk as the cause of a blob fault. */
const diskDetail = (fault: unknown): string | undefined =>
  fault instanceof Error
    ? (('code' in fault ? OF_DISK.get(fault.code) : undefined) ?? diskDetail(fault.cause))
    : undefined;

const UNEXPECTED = 'unexpected';

export const COMPOSITION_UNREADABLE_CODE = 'composition_unreadable';

/** Code for the log record. The message may contain user data, so only the process's own log has it. */
export const faultDetail = (fault: unknown): string => {
  if (fault instanceof InfrastructureFault) return fault.detail;
  const of_disk = diskDetail(fault);
  if (of_disk !== undefined) return of_disk;
  if (fault instanceof BlobFault) return `blob_${fault.tag}`;
  if (fault instanceof DeadlinePassed) return `${fault.stage}_deadline`;
  return UNEXPECTED;
};

/** Whether the exception is a bug in the code, or in data that the code relies on. */
export const isUnexpected = (fault: unknown): boolean => faultDetail(fault) === UNEXPECTED && !isSystemError(fault);

export type AttemptLoss = {
  readonly reason: LossReason;
  readonly detail: string;
  readonly impediment: Impediment | null;
};

export const attemptLossOf = (fault: unknown, fetching: boolean): AttemptLoss => {
  const detail = faultDetail(fault);
  if (detail.startsWith('disk_')) return { reason: 'environment', detail, impediment: 'disk' };
  if (detail === COMPOSITION_UNREADABLE_CODE) return { reason: 'environment_version', detail, impediment: null };
  // A missing blob is a fault of the payload only during downloads. During uploads it means that the container is
  // missing.
  if (fault instanceof BlobFault && !isUnavailableOrRefused(fault) && fetching)
    return { reason: 'environment_payload', detail, impediment: null };
  if (fault instanceof BlobFault || fault instanceof DeadlinePassed)
    return { reason: 'environment', detail, impediment: 'blob_store' };
  return { reason: 'surroundings', detail, impediment: null };
};

/** Like `attemptLossOf`, for a program that worked in `folder` and may have filled the disk. */
export const attemptLossInFolder = async (
  folder: string | null,
  fault: unknown,
  fetching: boolean,
): Promise<AttemptLoss> => {
  const loss = attemptLossOf(fault, fetching);
  if (folder === null || loss.reason !== 'surroundings') return loss;
  const free = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
  return free < FILLED_BYTES ? { reason: 'environment', detail: 'disk_full', impediment: 'disk' } : loss;
};

export const requireFreeSpace = async (
  folder: string,
  makeRoom: () => Promise<void>,
  least_bytes: number,
): Promise<void> => {
  if ((await freeBytes(folder)) >= least_bytes) return;
  await makeRoom();
  if ((await freeBytes(folder)) >= least_bytes) return;
  throw new InfrastructureFault('disk_full', `less than ${least_bytes / 1024 ** 2} MiB are free in ${folder}`);
};
