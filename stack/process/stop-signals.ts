/** What Ctrl-C, SIGTERM and SIGHUP mean to a program that holds a stack. */
export type StopSignals = {
  /** Aborted by the first one: stop in order. */
  readonly stop: AbortSignal;
  /** Aborted by a second Ctrl-C, or another signal a while later: stop at once. */
  readonly urgent: AbortSignal;
  /** The exit code that says which signal it was (128 + its number), 0 before any. */
  readonly exitCode: () => number;
};

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * One event may bring its signal twice, which says nothing of haste: a terminal that closes sends SIGHUP itself and by
 * its shell, make passes a SIGTERM on to children that had it already.
 */
const SAME_EVENT_MS = 1_000;

/** Takes the signals over for the rest of this process. To be called before anything is started. */
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
  // The terminal may be gone (SIGHUP) or the reader of a pipe: what is printed is then lost, and the stop goes on.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return { stop: stop.signal, urgent: urgent.signal, exitCode: () => exitCode };
};
