import { failureText, percentText } from '../render/render-text.ts';
import { tableText, timeText } from '../table.ts';
import type { Agreement, Trace } from './trace.ts';

/** The table that `renderctl trace` and `make demo` show. `place` is partition/offset in `render-events`. */
export const traceTable = (trace: Trace): string =>
  tableText(
    ['place', 'appended', 'event', 'verdict', 'status', 'actor', 'attempt', 'detail'],
    trace.rows.map((row) => [
      `${row.partition}/${row.offset}`,
      timeText(row.appended_at),
      row.type,
      row.reason === null ? row.verdict : `${row.verdict}: ${row.reason}`,
      row.transition === null ? (row.status ?? '-') : `-> ${row.transition.to}`,
      row.actor,
      row.attempt_id,
      row.detail,
    ]),
  );

/**
 * One line on how far a render is that is rendered, or why it failed; null where its status says all.
 *
 * @param progress 0 to 1, as heartbeats last said; null where that is not known
 */
export const standingText = ({ render }: Trace, progress: number | null): string | null => {
  if (render === null) return null;
  if (render.failure !== null) return `It ${failureText(render.failure)}`;
  if (render.status === 'processing' && progress !== null) return `It is processing: ${percentText(progress)} is done.`;
  return null;
};

/** One line on whether the read model matches the log. */
export const agreementText = (agreement: Agreement): string => {
  switch (agreement.tag) {
    case 'agrees':
      return 'The read model agrees with the log.';
    case 'behind':
      return `The read model is behind: it has read to offset ${agreement.read_to}, the last event is at ${agreement.last_fact}.`;
    case 'missing':
      return 'The read model does not hold this render yet.';
    case 'differs':
      return `The read model DISAGREES with the log: ${agreement.differences.join('; ')}.`;
  }
};
