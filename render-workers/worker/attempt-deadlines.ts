/** Limits of the stages that use the blob store, including retries. */
export type AttemptDeadlines = {
  readonly composition_ms: number;
  readonly download_ms: number;
  readonly upload_ms: number;
};

/** A composition has at most 16 MiB. Tries and pauses take half a minute, and a stalled download as long again. */
const COMPOSITION_MS = 120_000;

export const attemptDeadlines = (transfer_s: number): AttemptDeadlines => ({
  composition_ms: COMPOSITION_MS,
  download_ms: transfer_s * 1_000,
  upload_ms: transfer_s * 1_000,
});
