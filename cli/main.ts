import { createInterface } from 'node:readline/promises';
import { INTERRUPTED, runRenderctl } from './run.ts';
import { shownText } from './screen.ts';

const stopping = new AbortController();
/** A second is enough but for the results of tens of thousands of rows. */
const ENDED_WITHIN_MS = 5_000;

// The first Ctrl-C or SIGTERM stops in an orderly manner, with results written; the second stops at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED);
    stopping.abort();
    process.stderr.write('\n');
    setTimeout(() => process.exit(INTERRUPTED), ENDED_WITHIN_MS).unref();
  });
// A reader that closes the pipe (`renderctl … | head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { env, stdin, stdout, stderr } = process;

// A mistake of ours that nothing catches: told like everything else, with where it was.
process.on('uncaughtException', (error) => {
  stderr.write(shownText(`renderctl: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`));
  process.exit(1);
});

const ask = async (question: string): Promise<string | null> => {
  if (!stdin.isTTY) return null;
  // On stderr: the answer of the command may go elsewhere.
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    // Ctrl-C ends up here, not at the process, while a line is read.
    lines.on('SIGINT', () => stopping.abort());
    return await lines.question(question, { signal: stopping.signal }).catch(() => '');
  } finally {
    lines.close();
  }
};

process.exit(await runRenderctl(process.argv.slice(2), { env, stdout, stderr, stop: stopping.signal, ask }));
