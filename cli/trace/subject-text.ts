import { actorText } from '../../domain/event/meta.ts';
import { wordsOf } from '../audit/audit-text.ts';
import { tableText, timeText } from '../table.ts';
import { type CauseOf, causeText } from './causes.ts';
import { deliveriesTable } from './deliveries-text.ts';
import { spansText } from './life.ts';
import type { SubjectTrace } from './subject-trace.ts';
import type { SubjectUse } from './subject-use.ts';
import { verdictText } from './trace.ts';

const newest = (more: boolean, count: number): string => (more ? `The newest ${count} of its` : 'Its');

const sentences = ({ kind, statuses, erased, expires_at, unread_from }: SubjectTrace): readonly string[] => [
  ...(statuses.length === 0
    ? [`No record created this ${kind}: the records that name it were ignored or cannot be read.`]
    : [`Time in each status: ${spansText(statuses)}.`]),
  ...(erased === null
    ? []
    : [
        `It was erased by ${actorText(erased.by)}, ${timeText(erased.at)}: its texts are deleted, and its records stay in the log.`,
      ]),
  ...(expires_at === null ? [] : [`Expiry: ${timeText(expires_at)}.`]),
  ...(unread_from === null
    ? []
    : [`This renderctl is too old for the record at offset ${unread_from}: later records are not shown.`]),
];

/** Every record, then the time in each status, then the use of the subject. */
export const subjectText = (trace: SubjectTrace, { renders, deliveries }: SubjectUse, causeOf: CauseOf): string => {
  const table = tableText(
    ['place', 'appended', 'event', 'verdict', 'status', 'actor', 'cause', 'of'],
    trace.events.map((row) => [
      ...[`${row.partition}/${row.offset}`, timeText(row.appended_at), row.type, verdictText(row), row.status],
      ...[
        row.actor === null ? null : actorText(row.actor),
        causeText({ ...row, cause: causeOf(row) }, 'catalogue-events'),
        wordsOf(row),
      ],
    ]),
  );
  const used = [
    ...(renders === null || renders.newest.length === 0
      ? []
      : [
          `${newest(renders.more, renders.newest.length)} renders:`,
          tableText(
            ['place', 'requested', 'render', 'project'],
            renders.newest.map(({ partition, offset, at, render_id, project_id }) => [
              ...[`${partition}/${offset}`, timeText(at), render_id, project_id],
            ]),
          ),
        ]),
    ...(deliveries === null || deliveries.newest.length === 0
      ? []
      : [`${newest(deliveries.more, deliveries.newest.length)} deliveries:`, deliveriesTable(deliveries.newest)]),
  ];
  return [table, sentences(trace).join('\n'), ...used].join('\n\n');
};
