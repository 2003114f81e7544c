import { actorText } from '../../domain/event/meta.ts';
import { auditFieldsText } from '../audit/audit-text.ts';
import { tableText, timeText } from '../table.ts';
import { causeText, type FindCause } from './causes.ts';
import { deliveriesTable } from './deliveries-text.ts';
import { spansText } from './life.ts';
import type { SubjectTrace } from './subject-trace.ts';
import type { SubjectUse } from './subject-use.ts';
import { verdictText } from './trace.ts';

const newest = (more: boolean, count: number): string => (more ? `The newest ${count} of its` : 'Its');

const sentences = ({ kind, statuses, erased, expires_at, unread_from }: SubjectTrace): readonly string[] => [
  ...(statuses.length === 0
    ? [`This ${kind} was never created: its records were ignored or cannot be read.`]
    : [`Time in each status: ${spansText(statuses)}.`]),
  ...(erased === null
    ? []
    : [
        `Erased by ${actorText(erased.by)}, ${timeText(erased.at)}: its texts are deleted; its records stay in the log.`,
      ]),
  ...(expires_at === null ? [] : [`Expiry: ${timeText(expires_at)}.`]),
  ...(unread_from === null
    ? []
    : [`This renderctl is too old for the record at offset ${unread_from}, so it does not show later records.`]),
];

export const subjectText = (trace: SubjectTrace, { renders, deliveries }: SubjectUse, causeOf: FindCause): string => {
  const table = tableText(
    ['position', 'appended', 'event', 'verdict', 'status', 'actor', 'cause', 'details'],
    trace.events.map((row) => [
      ...[`${row.partition}/${row.offset}`, timeText(row.appended_at), row.type, verdictText(row), row.status],
      ...[
        row.actor === null ? null : actorText(row.actor),
        causeText({ ...row, cause: causeOf(row) }, 'catalogue-events'),
        auditFieldsText(row),
      ],
    ]),
  );
  const used = [
    ...(renders === null || renders.newest.length === 0
      ? []
      : [
          `${newest(renders.more, renders.newest.length)} renders:`,
          tableText(
            ['position', 'requested', 'render', 'project'],
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
