/** Time limits of the stages that depend on the blob store, with retries, ms. */
export type AttemptDeadlines = {
  readonly composition_ms: number;
  /** Limit for all media of the composition together. */
  readonly download_ms: number;
  /** Limit for all outputs together. */
  readonly upload_ms: number;
};

/**
 * A composition has at most 16 MiB. Its tries and pauses take half a minute, and a stalled download takes as long
 * again.
 */
const COMPOSITION_MS = 120_000;

/** @param transfer_s `WORKER_TRANSFER_S` */
export const attemptDeadlines = (transfer_s: number): AttemptDeadlines => ({
  composition_ms: COMPOSITION_MS,
  download_ms: transfer_s * 1_000,
  upload_ms: transfer_s * 1_000,
});
