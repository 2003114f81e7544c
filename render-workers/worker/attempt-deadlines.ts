/** How long the stages of an attempt may take that depend on the blob store, retries included, ms. */
export type AttemptDeadlines = {
  readonly composition_ms: number;
  /** All media of the composition together. */
  readonly download_ms: number;
  /** All outputs together. */
  readonly upload_ms: number;
};

/** A document of 16 MiB at most: its tries and pauses take half a minute, and one that stalls as long again. */
const COMPOSITION_MS = 120_000;

/** @param transfer_s `WORKER_TRANSFER_S` */
export const attemptDeadlines = (transfer_s: number): AttemptDeadlines => ({
  composition_ms: COMPOSITION_MS,
  download_ms: transfer_s * 1_000,
  upload_ms: transfer_s * 1_000,
});
