import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { liveProgress } from '../../read-models/renders/live-progress.ts';
import { renderDocument } from '../../read-models/renders/renders.ts';
import { transitionsResource } from '../../schemas/http/transitions-resource.ts';
import { type Answering, jsonText } from '../output.ts';
import { readTrace } from '../trace/read-trace.ts';
import { agreementOf } from '../trace/trace.ts';
import { agreementText, standingText, traceTable } from '../trace/trace-text.ts';
import { addCommand, answerTo, type CommandContext } from './command.ts';

/** What clients are shown of a render: its document, and its progress while it is rendered. */
const readShown = async (db: ReadStore['db'], id: string) => {
  const document = await renderDocument(db, id);
  if (document?.render?.status !== 'processing') return { document, progress: null };
  const live = await liveProgress(db).find(id);
  const { data } = transitionsResource(document.render, document.facts, live);
  return { document, progress: data.at(-1)?.progress ?? null };
};

const traced = async (context: CommandContext, id: string, as_json: boolean): Answering => {
  const read = await context.connection.records((records) => readTrace(records, id));
  if (E.isLeft(read)) return read;
  const trace = read.right;
  // The log is read first: a document that is read later is at least as far.
  const shown = await context.connection.db(async (db) => E.right(await readShown(db, id)));
  if (E.isLeft(shown)) return shown;
  const { document, progress } = shown.right;
  const agreement = agreementOf(trace, document);
  const json = { render: trace.render, progress, facts: trace.rows, read_model: agreement };
  const told = [standingText(trace, progress), agreementText(agreement)].filter((line) => line !== null);
  const text = `${traceTable(trace)}\n\n${told.join('\n')}`;
  if (agreement.tag !== 'differs') return E.right({ text, json });
  // The whole trace is printed even when it ends in a fault.
  context.stdout.write(as_json ? jsonText(json) : `${text}\n`);
  return E.left({ tag: 'disagreement', id, differences: agreement.differences });
};

export const traceCommand = (program: Command, context: CommandContext): void => {
  const description =
    'show every event of a render as the log holds it, ignored ones with the reason, why it failed or how far it is, and whether the read model agrees';
  addCommand(program, 'trace <render>', description, ['trace rend_01JD…', 'trace rend_01JD… --json']).action(
    (id: string, { json }: { json?: true }) => answerTo(context, json, traced(context, id, json === true)),
  );
};
