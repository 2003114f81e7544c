export type StopSignals = {
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
  /** Aborted by a second Ctrl-C, or by another signal some time later. */
  readonly urgent: AbortSignal;
  /** 128 plus the number of the signal; 0 before any signal. */
  readonly exitCode: () => number;
};

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * One event may deliver its signal twice, which is not a second request. A closing terminal sends SIGHUP directly and
 * through its shell; make forwards a SIGTERM that its children already got.
 */
const SAME_EVENT_MS = 1_000;

/** Handles signals for the rest of this process. Call it before any child starts. */
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
  // After SIGHUP the terminal is gone, or the reader of the pipe has ended. The output is lost, and the stop continues.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return { stop: stop.signal, urgent: urgent.signal, exitCode: () => exitCode };
};
