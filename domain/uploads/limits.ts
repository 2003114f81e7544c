import type { UploadState } from './upload.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Maximum size of one file. */
export const MAX_UPLOAD_BYTES = 2 * GIB;
export const MAX_FONT_BYTES = 64 * MIB;

/** Limits of one account. An upload is in progress until it is ready or refused. */
export const UPLOAD_LIMITS = {
  in_progress: 100,
  bytes_in_progress: 20 * GIB,
  uploads: 2_000,
  bytes: 100 * GIB,
} as const;

/** New uploads of an account. */
export const UPLOAD_RATE = { per_s: 2, burst: 60 } as const;

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

/** The limit that the uploads of an account exceed, as a message; null if they exceed none. */
export const uploadLimitFault = (totals: UploadTotals): string | null => {
  const all = sumOf(totals);
  const open = sumOf(totals.filter(({ state }) => isInProgress(state)));
  if (open.count > UPLOAD_LIMITS.in_progress)
    return `the account has ${UPLOAD_LIMITS.in_progress} uploads in progress, the maximum; complete some first`;
  if (open.bytes > UPLOAD_LIMITS.bytes_in_progress)
    return `uploads in progress may have at most ${UPLOAD_LIMITS.bytes_in_progress / GIB} GiB together; complete some first`;
  if (all.count > UPLOAD_LIMITS.uploads)
    return `the account has ${UPLOAD_LIMITS.uploads} uploads, the maximum; they expire 7 days after their last use`;
  if (all.bytes > UPLOAD_LIMITS.bytes)
    return `all uploads of the account may have at most ${UPLOAD_LIMITS.bytes / GIB} GiB together; they expire 7 days after their last use`;
  return null;
};
