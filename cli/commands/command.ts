import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Connection } from '../connection.ts';
import { type CliFault, reportOf } from '../fault.ts';
import type { ApiClient } from '../http/api-client.ts';
import type { SessionService } from '../http/session-service.ts';
import {
  type CommandOutput,
  jsonText,
  type PendingOutput,
  reportJson,
  reportText,
  toCommandOutput,
} from '../output.ts';
import { dataScreen, type Screen } from '../screen.ts';

/** The environment of a command, which calls `setExitCode` after its output is written. */
export type CommandContext = {
  readonly connection: Connection;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly stop: AbortSignal;
  /** Writes a question and reads one line; null if standard input is not a terminal. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Reads one line that the terminal does not show. Without a terminal, reads standard input. */
  readonly askSecret: (question: string) => Promise<string>;
  /** Whether standard input is not a terminal and has text. Waits for its first text, or its end. */
  readonly hasPipedText: () => Promise<boolean>;
  readonly setExitCode: (exit_code: number) => void;
};

/** Adds a command with --json, whose help ends with examples. */
export const addCommand = (parent: Command, usage: string, description: string, examples: readonly string[]): Command =>
  parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON (errors on stderr)')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ renderctl ${example}`).join('\n')}`);

/** Waits for a command that writes its own output. Writes only the fault, and sets the exit code. */
export const runStreamingCommand = async (
  context: CommandContext,
  as_json: boolean | undefined,
  working: Promise<E.Either<CliFault, unknown>>,
): Promise<void> => {
  const result = await working;
  if (E.isRight(result)) return context.setExitCode(0);
  const report = reportOf(result.left);
  context.stderr.write(as_json === true ? reportJson(report) : reportText(report));
  context.setExitCode(report.exit_code);
};

export const runCommand = async (
  context: CommandContext,
  as_json: boolean | undefined,
  answering: PendingOutput,
): Promise<void> => {
  const result = await answering;
  if (E.isRight(result)) {
    const { text, json, is_data } = result.right;
    const screen = is_data === true && as_json !== true ? dataScreen(context.stdout) : context.stdout;
    screen.write(as_json === true ? jsonText(json) : `${text}\n`);
  }
  await runStreamingCommand(context, as_json, Promise.resolve(result));
};

export type JsonOption = { readonly json?: true };
export type DirectOption = { readonly direct?: true };

export const directOption = (): Option =>
  new Option('--direct', 'use the servers directly (default where they can be reached), not the API');

type Way<S, A> = (service: S) => Promise<E.Either<CliFault, A>>;

type Ways<A> = {
  /** With access to the servers. */
  readonly directly: () => Promise<E.Either<CliFault, A>>;
} & (
  | {
      /** Over the API, with a key or as the person who is logged in. */
      readonly remotely: Way<ApiClient, A>;
    }
  | {
      /** As the person who is logged in. */
      readonly asPerson: Way<SessionService, A>;
    }
);

export const remotelyOrDirectly = async <A>(
  { connection }: CommandContext,
  { direct }: DirectOption,
  ways: Ways<A>,
): Promise<E.Either<CliFault, A>> => {
  const is_remote = direct === true ? E.right(false) : await connection.isRemote();
  if (E.isLeft(is_remote)) return is_remote;
  if (!is_remote.right) return await ways.directly();
  if ('remotely' in ways) return await connection.service(ways.remotely);
  const answer = await connection.session(ways.asPerson);
  if (E.isRight(answer) || answer.left.tag !== 'session_needed') return answer;
  // Without a person, commands use the servers as before, if they can be reached.
  const direct_answer = await ways.directly();
  return E.isLeft(direct_answer) && direct_answer.left.tag === 'needs_servers' ? answer : direct_answer;
};

export const commandOutputOf = async <A>(
  result: Promise<E.Either<CliFault, A>>,
  text: (value: A) => string,
): Promise<E.Either<CliFault, CommandOutput>> => toCommandOutput(await result, text);

const UNCHANGED = 'Nothing changed: this is already the current state.';

/** Like {@link commandOutputOf}, for a change. The text says whether an earlier command already made the change. */
export const changeOutputOf = <A extends { readonly repeated?: true }>(
  result: Promise<E.Either<CliFault, A>>,
  text: (value: A) => string,
): Promise<E.Either<CliFault, CommandOutput>> =>
  commandOutputOf(result, (value) => (value.repeated === true ? `${text(value)}\n\n${UNCHANGED}` : text(value)));

export const addCommandGroup = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description);
