import { CommanderError } from 'commander';
import { withTimeout } from '../platform/process/within.ts';
import { createConnection } from './connection.ts';
import { unexpectedErrorText } from './fault.ts';
import { createRenderctl } from './program.ts';
import { escapeControlCharacters, escapingScreen, type Screen } from './screen.ts';
import { stackFilePath } from './stack-file.ts';

export type ProcessContext = {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly stop: AbortSignal;
  readonly ask: (question: string) => Promise<string | null>;
  readonly askSecret: (question: string) => Promise<string>;
  readonly hasPipedText: () => Promise<boolean>;
};

/** 128 + SIGINT, as in shells. */
export const INTERRUPTED_EXIT_CODE = 130;

const CLOSED_WITHIN_MS = 2_000;

/**
 * Runs one call and returns its exit code: 0 success, 1 refused or failed, 2 usage error, 130 interrupted. Never
 * rejects.
 */
export const runRenderctl = async (args: readonly string[], context: ProcessContext): Promise<number> => {
  const { env, stop, hasPipedText } = context;
  // Only this function uses the raw outputs; all other code gets escaped ones.
  const [stdout, stderr] = [escapingScreen(context.stdout), escapingScreen(context.stderr)];
  const ask = (question: string) => context.ask(escapeControlCharacters(question));
  const askSecret = (question: string) => context.askSecret(escapeControlCharacters(question));
  const servers = createConnection(env, stackFilePath(env), stop);
  let exit_code = 0;
  const setExitCode = (code: number): void => {
    exit_code = code;
  };
  try {
    const program = await createRenderctl(
      { connection: servers, stdout, stderr, stop, ask, askSecret, hasPipedText, setExitCode },
      args[0],
    );
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) exit_code = error.exitCode === 0 ? 0 : 2;
    else {
      stderr.write(`renderctl: ${unexpectedErrorText(error)}\n`);
      exit_code = 1;
    }
  }
  // An unresponsive server must not keep the process alive.
  await withTimeout(CLOSED_WITHIN_MS, servers.close(), () => undefined).catch(() => undefined);
  return stop.aborted ? INTERRUPTED_EXIT_CODE : exit_code;
};
