import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
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

/** The first line; empty at the end of the input. */
const firstOf = async (lines: Interface, signal: AbortSignal): Promise<string> => {
  const ended = once(lines, 'close', { signal });
  const [line] = await Promise.race([once(lines, 'line', { signal }), ended.then(() => [''])]);
  return String(line);
};

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

const SILENT = new Writable({ write: (_chunk, _encoding, done) => done() });
const MAX_SECRET_CHARACTERS = 4_096;

const askSecret = async (question: string): Promise<string> => {
  const is_terminal = stdin.isTTY === true;
  // readline echoes what is typed into its output. From then on, the terminal itself does not.
  const lines = createInterface({ input: stdin, output: SILENT, terminal: is_terminal });
  if (is_terminal) stderr.write(question);
  try {
    lines.on('SIGINT', () => stopping.abort());
    const line = is_terminal ? lines.question('', { signal: stopping.signal }) : firstOf(lines, stopping.signal);
    return (await line.catch(() => '')).slice(0, MAX_SECRET_CHARACTERS);
  } finally {
    lines.close();
    if (is_terminal) stderr.write('\n');
  }
};

const hasPipedText = async (): Promise<boolean> => {
  if (stdin.isTTY) return false;
  try {
    for await (const chunk of stdin) if (String(chunk).trim() !== '') return true;
  } catch {
    // A standard input that cannot be read has no text.
  }
  return false;
};

const questions = { ask, askSecret, hasPipedText };
process.exit(await runRenderctl(process.argv.slice(2), { env, stdout, stderr, stop: stopping.signal, ...questions }));
