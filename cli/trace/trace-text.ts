import { actorText } from '../../domain/event/meta.ts';
import { isErased } from '../../domain/render/render.ts';
import { failureText, percentText } from '../render/render-text.ts';
import { tableText, timeText } from '../table.ts';
import { causeText, type FindCause } from './causes.ts';
import type { TracedDeliveries } from './deliveries.ts';
import { type AttemptSpan, attemptSpans, durationText, spansText, statusSpans } from './life.ts';
import { type ReadModelComparison, type Trace, verdictText } from './trace.ts';

/** A row for each record. Positions are partition/offset in `render-events`. */
export const traceTable = ({ rows }: Trace, causeOf: FindCause): string =>
  tableText(
    ['position', 'appended', 'event', 'verdict', 'status', 'actor', 'attempt', 'cause', 'details'],
    rows.map((row) => [
      `${row.partition}/${row.offset}`,
      timeText(row.appended_at),
      row.type,
      verdictText(row),
      row.transition === null ? (row.status ?? '-') : `-> ${row.transition.to}`,
      row.actor === null ? null : actorText(row.actor),
      row.attempt_id,
      causeText({ ...row, cause: causeOf(row) }, 'render-events'),
      row.detail,
    ]),
  );

const attemptsTable = (attempts: readonly AttemptSpan[]): string =>
  tableText(
    ['attempt', 'worker', 'assigned', 'ended', 'took', 'outcome'],
    attempts.map(({ n, worker_id, assigned_at, ended_at, outcome, reason }) => [
      ...[n, worker_id, timeText(assigned_at)],
      ...(ended_at === null ? [null, null] : [timeText(ended_at), durationText(ended_at - assigned_at)]),
      reason === null ? outcome : `${outcome}: ${reason}`,
    ]),
  );

const deliveryEvents = ({ rows }: TracedDeliveries, causeOf: FindCause): string =>
  tableText(
    ['webhook position', 'appended', 'event', 'verdict', 'delivery', 'endpoint', 'actor', 'cause', 'details'],
    rows.map((row) => [
      ...[`${row.partition}/${row.offset}`, timeText(row.appended_at), row.type, verdictText(row)],
      ...[row.delivery_id, row.endpoint_id, row.actor === null ? null : actorText(row.actor)],
      ...[causeText({ ...row, cause: causeOf(row) }, 'webhook-events'), row.detail],
    ]),
  );

export const workTables = (trace: Trace, deliveries: TracedDeliveries, causeOf: FindCause): readonly string[] => {
  const attempts = attemptSpans(trace);
  return [
    ...(attempts.length === 0 ? [] : [attemptsTable(attempts)]),
    ...(deliveries.rows.length === 0 ? [] : [deliveryEvents(deliveries, causeOf)]),
  ];
};

/** The lines between the table and the comparison with the read model. */
export const lifecycleLines = (trace: Trace): readonly string[] => {
  const { render } = trace;
  if (render === null) return [];
  const spent = `Time in each status: ${spansText(statusSpans(trace))}.`;
  if (!isErased(render)) return [spent];
  const when = timeText(render.erased_at ?? 0);
  return [spent, `Erased ${when}: its texts and outputs are deleted; its records stay in the log.`];
};

/**
 * One line on the progress or the failure of a render; null for other statuses.
 *
 * @param progress 0 to 1, from the last heartbeat; null if unknown
 */
export const progressOrFailureText = ({ render }: Trace, progress: number | null): string | null => {
  if (render === null) return null;
  if (render.failure !== null) return `It ${failureText(render.failure)}`;
  if (render.status === 'processing' && progress !== null) return `Processing: ${percentText(progress)} is done.`;
  return null;
};

export const comparisonText = (agreement: ReadModelComparison): string => {
  switch (agreement.tag) {
    case 'agrees':
      return 'The read model matches the log.';
    case 'behind':
      return `The read model is behind: it has read up to offset ${agreement.read_to}, and the last event is at ${agreement.last_fact}.`;
    case 'missing':
      return 'The read model does not have this render yet.';
    case 'differs':
      return `The read model DIFFERS from the log: ${agreement.differences.join('; ')}.`;
  }
};
