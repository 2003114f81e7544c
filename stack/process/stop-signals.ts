/** How a program that owns a stack handles Ctrl-C, SIGTERM and SIGHUP. */
export type StopSignals = {
  /** Aborted by the first signal: stop in order. */
  readonly stop: AbortSignal;
  /** Aborted by a second Ctrl-C, or by another signal some time later: stop at once. */
  readonly urgent: AbortSignal;
  /** The exit code of the signal (128 + its number); 0 before any. */
  readonly exitCode: () => number;
};

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * One event may send its signal twice, which does not mean a second request. A closing terminal sends SIGHUP directly
 * and through its shell; make forwards a SIGTERM that its children already had.
 */
const SAME_EVENT_MS = 1_000;

/** Handles the signals for the rest of this process. Call it before any process starts. */
export const catchStopSignals = (): StopSignals => {
  const stop = new AbortController();
  const urgent = new AbortController();
  let exitCode = 0;
  let first_at = 0;
  for (const [signal, code] of Object.entries(CODES)) {
    process.on(signal, () => {
      if (stop.signal.aborted) {
        if (signal === 'SIGINT' || performance.now() - first_at > SAME_EVENT_MS) urgent.abort();
        return;
      }
      first_at = performance.now();
      exitCode = code;
      stop.abort(new Error(`stopped by ${signal}`));
    });
  }
  // The terminal (SIGHUP) or the reader of a pipe may be gone: the output is then lost, and the stop continues.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return { stop: stop.signal, urgent: urgent.signal, exitCode: () => exitCode };
};
