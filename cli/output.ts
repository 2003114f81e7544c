import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from './fault.ts';
import { type FaultReport, reportLine } from './report.ts';

export type CommandOutput = {
  readonly text: string;
  readonly json: unknown;
  /** True if the text is for programs, for example CSV. */
  readonly is_data?: boolean;
};

export type PendingOutput = Promise<E.Either<CliFault, CommandOutput>>;

export const toCommandOutput = <A>(
  result: E.Either<CliFault, A>,
  text: (value: A) => string,
): E.Either<CliFault, CommandOutput> =>
  E.isLeft(result) ? result : E.right({ text: text(result.right), json: result.right });

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Joins the lines of a text: a line from a name or a file must not look like a line of renderctl. */
const oneLine = (text: string): string =>
  text
    .split(/[\n\t]/)
    .map((part) => part.trim())
    .join(' ');

export const reportText = (report: FaultReport): string =>
  [`renderctl: ${oneLine(reportLine(report))}`, ...report.details.map((detail) => `  ${detail}`), ''].join('\n');

export const reportJson = ({ message, next_step, details }: FaultReport): string =>
  jsonText({
    error: message,
    ...(next_step === null ? {} : { next_step }),
    ...(details.length === 0 ? {} : { details }),
  });
