import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { liveProgress } from '../../read-models/renders/live-progress.ts';
import { renderDocument } from '../../read-models/renders/renders.ts';
import { transitionsResource } from '../../schemas/http/public/transitions-resource.ts';
import type { CliFault } from '../fault.ts';
import { jsonText, type PendingOutput } from '../output.ts';
import { indexCauses, withCauses } from '../trace/causes.ts';
import { readDeliveries } from '../trace/deliveries.ts';
import { attemptSpans, statusSpans } from '../trace/life.ts';
import { readTrace } from '../trace/read-trace.ts';
import { isRenderId, PREFIXES_TEXT, type Subject, subjectOfId } from '../trace/subject.ts';
import { subjectText } from '../trace/subject-text.ts';
import { readSubject } from '../trace/subject-trace.ts';
import { readSubjectUse } from '../trace/subject-use.ts';
import { renderTimeline } from '../trace/svg/render-timeline.ts';
import { subjectTimeline } from '../trace/svg/subject-timeline.ts';
import { type Timeline, timelineSvg } from '../trace/svg/timeline.ts';
import { compareWithDocument, type Trace } from '../trace/trace.ts';
import { comparisonText, lifecycleLines, progressOrFailureText, traceTable, workTables } from '../trace/trace-text.ts';
import { addCommand, type CommandContext, type JsonOption, runCommand } from './command.ts';

type TraceOptions = JsonOption & { readonly svg?: string };

const HELP = `
For a render: every event with its verdict, actor, cause and position in the log, the
attempts, the time in each status, the webhook deliveries with their responses, and
whether the read model agrees. For an account, team, project, user, key, endpoint or
invitation: every record about it or by it, and the last use of a key, user or endpoint.
Records are shown with ids, without names, addresses or secrets.

The command reads the log of the catalogue from its beginning, because each record
depends on those before it.`;

/** The render's document, and the progress of its rendering, 0 to 1; null if it is not being rendered. */
const readShown = async (db: ReadStore['db'], id: string) => {
  const document = await renderDocument(db, id);
  if (document?.render?.status !== 'processing') return { document, progress: null };
  const live = await liveProgress(db).find(id);
  const { data } = transitionsResource(document.render, document.facts, live);
  return { document, progress: data.at(-1)?.progress ?? null };
};

const drawn = async (file: string | undefined, timeline: Timeline): Promise<CliFault | null> => {
  if (file === undefined) return null;
  try {
    await writeFile(file, timelineSvg(timeline));
    return null;
  } catch (error) {
    return { tag: 'unwritable_file', path: file, message: messageOf(error) };
  }
};

/** Null if the key cannot be read, because the other parts of the trace do not need Blob. */
const sealedNameOf = async ({ connection }: CommandContext, { sealed }: Trace): Promise<string | null> => {
  if (sealed === null) return null;
  const name = await connection.seals(async (seals) => {
    const opening = await seals.open(sealed).catch(() => null);
    return E.right(opening?.state === 'open' ? opening.text.name : null);
  });
  return E.isRight(name) ? name.right : null;
};

const tracedRender = async (
  context: CommandContext,
  id: string,
  { json: as_json, svg }: TraceOptions,
): PendingOutput => {
  const read = await context.connection.records(async (records) => {
    const trace = await readTrace(records, id);
    if (E.isLeft(trace)) return trace;
    return E.right({ trace: trace.right, deliveries: await readDeliveries(records, id) });
  });
  if (E.isLeft(read)) return read;
  const { trace, deliveries } = read.right;
  // The log is read before the document, so the document has at least all records of the trace, unless the projector is
  // late.
  const shown = await context.connection.db(async (db) => E.right(await readShown(db, id)));
  if (E.isLeft(shown)) return shown;
  const { document, progress } = shown.right;
  const agreement = compareWithDocument(trace, document, await sealedNameOf(context, trace));
  const causeOf = indexCauses([
    { topic: 'render-events', rows: trace.rows },
    { topic: 'webhook-events', rows: deliveries.rows },
  ]);
  const json = {
    ...{ id, kind: 'render', render: trace.render, progress },
    ...{ statuses: statusSpans(trace), attempts: attemptSpans(trace), facts: withCauses(trace.rows, causeOf) },
    ...{ deliveries: deliveries.deliveries, delivery_events: withCauses(deliveries.rows, causeOf) },
    read_model: agreement,
  };
  const textLines = [progressOrFailureText(trace, progress), comparisonText(agreement), ...lifecycleLines(trace)];
  const parts = [traceTable(trace, causeOf), textLines.filter((line) => line !== null).join('\n')];
  const text = [...parts, ...workTables(trace, deliveries, causeOf)].join('\n\n');
  const fault = await drawn(svg, renderTimeline(id, trace, deliveries, causeOf));
  if (fault !== null) return E.left(fault);
  if (agreement.tag !== 'differs') return E.right({ text, json });
  // Prints the trace first, even if the command then fails because the read model differs.
  context.stdout.write(as_json === true ? jsonText(json) : `${text}\n`);
  return E.left({ tag: 'disagreement', id, differences: agreement.differences });
};

const tracedSubject = async (context: CommandContext, subject: Subject, options: TraceOptions): PendingOutput => {
  const { connection, stderr, stop } = context;
  const onProgress = (done: number, all: number): void => {
    if (options.json !== true) stderr.write(`catalogue-events: ${done} of ${all} records\n`);
  };
  const { now } = SYSTEM_CLOCK;
  const read = await connection.records((records) => readSubject(records, subject, { now: now(), stop, onProgress }));
  if (E.isLeft(read)) return read;
  const trace = read.right;
  const used = await connection.db(async (db) => E.right(await readSubjectUse(db, subject, now)));
  if (E.isLeft(used)) return used;
  const use = used.right;
  const causeOf = indexCauses([{ topic: 'catalogue-events', rows: trace.events }]);
  const fault = await drawn(options.svg, subjectTimeline(trace, use, causeOf));
  if (fault !== null) return E.left(fault);
  const json = { ...trace, events: withCauses(trace.events, causeOf), ...use };
  return E.right({ text: subjectText(trace, use, causeOf), json });
};

const traced = async (context: CommandContext, id: string, options: TraceOptions): PendingOutput => {
  if (isRenderId(id)) return await tracedRender(context, id, options);
  const subject = subjectOfId(id);
  if (subject !== null) return await tracedSubject(context, subject, options);
  return E.left({ tag: 'usage', message: `${id} cannot be traced: the id must begin with ${PREFIXES_TEXT}` });
};

export const traceCommand = (program: Command, context: CommandContext): void => {
  const description = 'show all records of a render, account, team, project, user, key or endpoint';
  addCommand(program, 'trace <id>', description, [
    'trace rend_01JD…',
    'trace rend_01JD… --svg render.svg',
    'trace key_01JD… --json',
  ])
    .option('--svg <file>', 'also write a timeline of all events to this SVG file')
    .addHelpText('after', HELP)
    .action((id: string, options: TraceOptions) => runCommand(context, options.json, traced(context, id, options)));
};
