import { tableText, timeText } from '../table.ts';
import type { Agreement, Trace } from './trace.ts';

/** The table that `renderctl trace` and `make demo` show. `place` is partition/offset in `render-events`. */
export const traceTable = (trace: Trace): string =>
  tableText(
    ['place', 'appended', 'event', 'verdict', 'status', 'actor', 'attempt'],
    trace.rows.map((row) => [
      `${row.partition}/${row.offset}`,
      timeText(row.appended_at),
      row.type,
      row.reason === null ? row.verdict : `${row.verdict}: ${row.reason}`,
      row.transition === null ? (row.status ?? '-') : `-> ${row.transition.to}`,
      row.actor,
      row.attempt_id,
    ]),
  );

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
