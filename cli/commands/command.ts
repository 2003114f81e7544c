import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Connection } from '../connection.ts';
import { type CliFault, reportOf } from '../fault.ts';
import { type Answer, type Answering, answered, jsonText, reportJson, reportText } from '../output.ts';
import { dataScreen, type Screen } from '../screen.ts';

/** `ended` gets the exit code after the output is written. */
export type CommandContext = {
  readonly connection: Connection;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly stop: AbortSignal;
  /** Writes a question and reads one line; null if standard input is not a terminal. */
  readonly ask: (question: string) => Promise<string | null>;
  readonly ended: (exit_code: number) => void;
};

/** Adds a command with --json, whose help ends with examples. */
export const addCommand = (parent: Command, usage: string, description: string, examples: readonly string[]): Command =>
  parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON (errors on stderr)')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ renderctl ${example}`).join('\n')}`);

/** Awaits a command that writes its own output, and writes only its fault. */
export const endWith = async (
  context: CommandContext,
  as_json: boolean | undefined,
  working: Promise<E.Either<CliFault, unknown>>,
): Promise<void> => {
  const result = await working;
  if (E.isRight(result)) return context.ended(0);
  const report = reportOf(result.left);
  context.stderr.write(as_json === true ? reportJson(report) : reportText(report));
  context.ended(report.exit_code);
};

export const answerTo = async (
  context: CommandContext,
  as_json: boolean | undefined,
  answering: Answering,
): Promise<void> => {
  const result = await answering;
  if (E.isRight(result)) {
    const { text, json, is_data } = result.right;
    const screen = is_data === true && as_json !== true ? dataScreen(context.stdout) : context.stdout;
    screen.write(as_json === true ? jsonText(json) : `${text}\n`);
  }
  await endWith(context, as_json, Promise.resolve(result));
};

export type JsonOption = { readonly json?: true };

export const answeredAs = async <A>(
  result: Promise<E.Either<CliFault, A>>,
  text: (value: A) => string,
): Promise<E.Either<CliFault, Answer>> => answered(await result, text);

const UNCHANGED = 'Nothing changed: this is already the current state.';

/** Like {@link answeredAs}, for a change. The text says whether an earlier command already made the change. */
export const answeredChange = <A extends { readonly repeated?: true }>(
  result: Promise<E.Either<CliFault, A>>,
  text: (value: A) => string,
): Promise<E.Either<CliFault, Answer>> =>
  answeredAs(result, (value) => (value.repeated === true ? `${text(value)}\n\n${UNCHANGED}` : text(value)));

export const group = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description);
