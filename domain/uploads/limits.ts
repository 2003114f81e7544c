import type { UploadState } from './upload.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Maximum size of one file. */
export const MAX_UPLOAD_BYTES = 2 * GIB;
export const MAX_FONT_BYTES = 64 * MIB;

/** Limits of one account. An upload is in progress until it is ready or refused. `bytes` includes projects. */
export type UploadLimits = {
  readonly in_progress: number;
  readonly bytes_in_progress: number;
  readonly uploads: number;
  readonly bytes: number;
};

export const DEFAULT_UPLOAD_LIMITS: UploadLimits = {
  in_progress: 100,
  bytes_in_progress: 20 * GIB,
  uploads: 2_000,
  bytes: 100 * GIB,
};

/** A full account may still change its projects: its documents may have this much more than its limit. */
export const DOCUMENT_RESERVE_BYTES = GIB;

/** New uploads of an account. */
export const UPLOAD_RATE = { per_s: 2, burst: 60 } as const;

/** Reads of open uploads with their stored blocks. Each may list thousands of blocks, so they are not free. */
export const STORED_BLOCKS_RATE = { per_s: 2, burst: 100 } as const;

/** How long an upload is kept after its last use, by its state. */
export const UPLOAD_KEPT_MS = {
  open: DAY_MS,
  fetching: DAY_MS,
  queued: 7 * DAY_MS,
  ready: 7 * DAY_MS,
  refused: DAY_MS,
} as const;

export type UploadTotals = readonly {
  readonly state: UploadState;
  readonly count: number;
  readonly bytes: number;
}[];

const isInProgress = (state: UploadState): boolean => state !== 'ready' && state !== 'refused';

const sumOf = (totals: UploadTotals) =>
  totals.reduce((sum, one) => ({ count: sum.count + one.count, bytes: sum.bytes + one.bytes }), { count: 0, bytes: 0 });

/** The uploads of an account, and the bytes of the files and documents of its projects. */
export type StoredTotals = { readonly uploads: UploadTotals; readonly project_bytes: number };

/** Counts and bytes of an account, in the shape of its limits. */
export const uploadUsage = ({ uploads: totals, project_bytes }: StoredTotals): UploadLimits => {
  const all = sumOf(totals);
  const open = sumOf(totals.filter(({ state }) => isInProgress(state)));
  return {
    in_progress: open.count,
    bytes_in_progress: open.bytes,
    uploads: all.count,
    bytes: all.bytes + project_bytes,
  };
};

const sizeText = (bytes: number): string =>
  bytes < GIB ? `${Number((bytes / MIB).toFixed(1))} MiB` : `${Number((bytes / GIB).toFixed(1))} GiB`;

export type UploadLimitFault = { readonly of: 'count' | 'bytes'; readonly message: string };

/** The fault of an account that has stored too many bytes, for a new upload or a file of a project; otherwise null. */
export const storedBytesFault = (totals: StoredTotals, limits: UploadLimits): UploadLimitFault | null =>
  uploadUsage(totals).bytes > limits.bytes
    ? {
        of: 'bytes',
        message: `uploads, files and documents of projects of the account may have at most ${sizeText(limits.bytes)} together; erase projects, or wait: uploads expire 7 days after their last use`,
      }
    : null;

/** The limit that the uploads of an account exceed; null if they exceed none. */
export const uploadLimitFault = (totals: StoredTotals, limits: UploadLimits): UploadLimitFault | null => {
  const used = uploadUsage(totals);
  if (used.in_progress > limits.in_progress)
    return {
      of: 'count',
      message: `the account has ${limits.in_progress} uploads in progress, the maximum; complete some first`,
    };
  if (used.bytes_in_progress > limits.bytes_in_progress)
    return {
      of: 'bytes',
      message: `uploads in progress may have at most ${sizeText(limits.bytes_in_progress)} together; complete some first`,
    };
  if (used.uploads > limits.uploads)
    return {
      of: 'count',
      message: `the account has ${limits.uploads} uploads, the maximum; they expire 7 days after their last use`,
    };
  return storedBytesFault(totals, limits);
};
