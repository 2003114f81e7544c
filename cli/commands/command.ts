import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Connection } from '../connection.ts';
import { reportOf } from '../fault.ts';
import { type Answering, jsonText, reportJson, reportText } from '../output.ts';
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

/** A group of commands, like `renderctl team`. */
export const group = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description);

/** Parses options: what is thrown here ends the command with exit code 2. */
export const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
};

export const nameText = (text: string): string => {
  const length = [...text].length;
  if (length < 1 || length > 250) throw new InvalidArgumentError('It must have 1 to 250 characters.');
  if (!text.isWellFormed()) throw new InvalidArgumentError('It holds a character that is none.');
  return text;
};

/** A moment to come, ms since the epoch. */
export const instant = (text: string): number => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a date like 2027-01-31 or 2027-01-31T12:00:00Z.');
  if (at <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return at;
};

/** For options that can be given several times. */
export const collected = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
