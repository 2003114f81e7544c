import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Connection } from '../connection.ts';
import { type CliFault, reportOf } from '../fault.ts';
import { type Answer, type Answering, answered, jsonText, reportJson, reportText } from '../output.ts';
import type { Screen } from '../screen.ts';

/** What every command works with. `ended` is told the exit code once its answer is written. */
export type Desk = {
  readonly connection: Connection;
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Ctrl-C. */
  readonly stop: AbortSignal;
  readonly ended: (exit_code: number) => void;
};

/** A command of the last level: it can answer as JSON, and its help ends with examples. */
export const leaf = (parent: Command, usage: string, description: string, examples: readonly string[]): Command =>
  parent
    .command(usage)
    .description(description)
    .option('--json', 'answer with JSON (refusals too, on stderr)')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ renderctl ${example}`).join('\n')}`);

/** Runs a command and writes what came of it. */
export const answerTo = async (desk: Desk, as_json: boolean | undefined, answering: Answering): Promise<void> => {
  const result = await answering;
  if (E.isRight(result)) {
    const { text, json } = result.right;
    desk.stdout.write(as_json === true ? jsonText(json) : `${text}\n`);
    desk.ended(0);
    return;
  }
  const report = reportOf(result.left);
  desk.stderr.write(as_json === true ? reportJson(report) : reportText(report));
  desk.ended(report.exit_code);
};

/** Of every command of the last level. */
export type Asked = { readonly json?: true };

/** What a command found or did, as {@link answerTo} wants it. */
export const told = async <A>(
  result: Promise<E.Either<CliFault, A>>,
  text: (value: A) => string,
): Promise<E.Either<CliFault, Answer>> => answered(await result, text);

const UNCHANGED = 'It was so already; nothing has changed.';

/** As {@link told}, for a change: a repeat of one that was made before says so. */
export const toldChange = <A extends { readonly repeated?: true }>(
  result: Promise<E.Either<CliFault, A>>,
  text: (value: A) => string,
): Promise<E.Either<CliFault, Answer>> =>
  told(result, (value) => (value.repeated === true ? `${text(value)}\n\n${UNCHANGED}` : text(value)));

/** A group of commands, like `renderctl team`. */
export const group = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description);
