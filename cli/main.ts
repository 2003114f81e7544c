import { createInterface } from 'node:readline/promises';
import { INTERRUPTED_EXIT_CODE, runRenderctl } from './run.ts';
import { escapeControlCharacters } from './screen.ts';

const stopping = new AbortController();
/**
 * After Ctrl-C, the process may take this long to write its results. One second is enough, except for tens of thousands
 * of result rows.
 */
const ENDED_WITHIN_MS = 5_000;

// The first Ctrl-C or SIGTERM stops cleanly and writes results. The second stops immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED_EXIT_CODE);
    stopping.abort();
    process.stderr.write('\n');
    setTimeout(() => process.exit(INTERRUPTED_EXIT_CODE), ENDED_WITHIN_MS).unref();
  });
// A reader that closes the pipe (`renderctl … | head`) is not a fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { env, stdin, stdout, stderr } = process;

// An uncaught exception is a bug, so its stack is printed.
process.on('uncaughtException', (error) => {
  stderr.write(
    escapeControlCharacters(`renderctl: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  );
  process.exit(1);
});

const ask = async (question: string): Promise<string | null> => {
  if (!stdin.isTTY) return null;
  // stdout may be redirected, so the question goes to stderr.
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    // While readline waits for a line, it handles Ctrl-C itself, and the process gets no signal.
    lines.on('SIGINT', () => stopping.abort());
    return await lines.question(question, { signal: stopping.signal }).catch(() => '');
  } finally {
    lines.close();
  }
};

process.exit(await runRenderctl(process.argv.slice(2), { env, stdout, stderr, stop: stopping.signal, ask }));
