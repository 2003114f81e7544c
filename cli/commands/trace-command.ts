import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { renderDocument } from '../../read-models/renders/renders.ts';
import { type Answering, jsonText } from '../output.ts';
import { readTrace } from '../trace/read-trace.ts';
import { agreementOf } from '../trace/trace.ts';
import { agreementText, traceTable } from '../trace/trace-text.ts';
import { addCommand, answerTo, type CommandContext } from './command.ts';

const traced = async (context: CommandContext, id: string, as_json: boolean): Answering => {
  const read = await context.connection.records((records) => readTrace(records, id));
  if (E.isLeft(read)) return read;
  const trace = read.right;
  // The log is read first: a document that is read later is at least as far.
  const document = await context.connection.db(async (db) => E.right(await renderDocument(db, id)));
  if (E.isLeft(document)) return document;
  const agreement = agreementOf(trace, document.right);
  const json = { render: trace.render, facts: trace.rows, read_model: agreement };
  const text = `${traceTable(trace)}\n\n${agreementText(agreement)}`;
  if (agreement.tag !== 'differs') return E.right({ text, json });
  // The whole trace is printed even when it ends in a fault.
  context.stdout.write(as_json ? jsonText(json) : `${text}\n`);
  return E.left({ tag: 'disagreement', id, differences: agreement.differences });
};

export const traceCommand = (program: Command, context: CommandContext): void => {
  const description =
    'show every event of a render as the log holds it, ignored ones with the reason, and whether the read model agrees';
  addCommand(program, 'trace <render>', description, ['trace rend_01JD…', 'trace rend_01JD… --json']).action(
    (id: string, { json }: { json?: true }) => answerTo(context, json, traced(context, id, json === true)),
  );
};
