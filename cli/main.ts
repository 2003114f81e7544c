import { createInterface } from 'node:readline/promises';
import { INTERRUPTED, runRenderctl } from './run.ts';
import { shownText } from './screen.ts';

const stopping = new AbortController();
/** A second is enough, except for results of tens of thousands of rows. */
const ENDED_WITHIN_MS = 5_000;

// The first Ctrl-C or SIGTERM stops in an orderly manner, with results written; the second stops at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED);
    stopping.abort();
    process.stderr.write('\n');
    setTimeout(() => process.exit(INTERRUPTED), ENDED_WITHIN_MS).unref();
  });
// A reader that closes the pipe (`renderctl … | head`) is not a fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { env, stdin, stdout, stderr } = process;

// An uncaught exception is a bug: report it like other faults, with its stack.
process.on('uncaughtException', (error) => {
  stderr.write(shownText(`renderctl: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`));
  process.exit(1);
});

const ask = async (question: string): Promise<string | null> => {
  if (!stdin.isTTY) return null;
  // On stderr, because stdout may be redirected.
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    // While readline reads a line, it gets Ctrl-C instead of the process.
    lines.on('SIGINT', () => stopping.abort());
    return await lines.question(question, { signal: stopping.signal }).catch(() => '');
  } finally {
    lines.close();
  }
};

process.exit(await runRenderctl(process.argv.slice(2), { env, stdout, stderr, stop: stopping.signal, ask }));
