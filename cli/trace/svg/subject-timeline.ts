import { actorText } from '../../../domain/event/meta.ts';
import { auditFieldsText } from '../../audit/audit-text.ts';
import { timeText } from '../../table.ts';
import { causeText, type FindCause } from '../causes.ts';
import { durationText, spansText } from '../life.ts';
import type { SubjectRow, SubjectTrace } from '../subject-trace.ts';
import type { SubjectUse } from '../subject-use.ts';
import { verdictText } from '../trace.ts';
import { deliveryLanes, rowTitle } from './render-timeline.ts';
import type { ColorRole, Timeline, TimelineLane, TimelineTable } from './timeline.ts';

const TONES: Readonly<Record<string, ColorRole>> = {
  ...{ active: 'good', 'in force': 'good', enabled: 'good', open: 'wait', accepted: 'good', replaced: 'wait' },
  ...{ disabled: 'bad', revoked: 'over', expired: 'over', deleted: 'over', erased: 'over' },
};

/** The lane of an event, by the prefix of its type. */
const GROUPS = [
  ['Account', 'account'],
  ['Credit', 'credits'],
  ['Team', 'teams'],
  ['User', 'users'],
  ['Identity', 'users'],
  ['Member', 'members'],
  ['ApiKey', 'keys'],
  ['Project', 'projects'],
  ['Webhook', 'endpoints'],
  ['Invitation', 'invitations'],
] as const;

const laneOf = ({ type, relation }: SubjectRow): string =>
  relation === 'by' ? 'actions' : (GROUPS.find(([beginning]) => type.startsWith(beginning))?.[1] ?? 'others');

const eventLanes = ({ events }: SubjectTrace, causeOf: FindCause): readonly TimelineLane[] =>
  Array.from(Map.groupBy(events, laneOf), ([name, rows]) => ({
    name,
    spans: [],
    marks: rows.map((row) => ({
      at: row.appended_at,
      label: row.type,
      tone: row.verdict === 'accepted' ? ('plain' as const) : ('bad' as const),
      hollow: row.verdict !== 'accepted',
      title: rowTitle(row, 'catalogue-events', causeOf, auditFieldsText(row)),
    })),
  }));

const listOf = ({ events }: SubjectTrace, causeOf: FindCause): TimelineTable => ({
  headings: ['catalogue-events', 'appended', 'event', 'verdict', 'status', 'by', 'cause', 'of'],
  rows: events.map((row) => ({
    cells: [
      ...[`${row.partition}/${row.offset}`, timeText(row.appended_at), row.type, verdictText(row), row.status],
      ...[
        row.actor === null ? null : actorText(row.actor),
        causeText({ ...row, cause: causeOf(row) }, 'catalogue-events'),
        auditFieldsText(row),
      ],
    ],
    faint: row.verdict !== 'accepted',
  })),
});

const renderLane = ({ renders }: SubjectUse): readonly TimelineLane[] =>
  renders === null || renders.newest.length === 0
    ? []
    : [
        {
          name: renders.more ? `newest ${renders.newest.length} renders` : 'renders',
          spans: [],
          marks: renders.newest.map(({ at, render_id, topic, partition, offset }) => ({
            ...({ at, label: render_id, tone: 'work', hollow: false } as const),
            title: `requested ${render_id}\n${topic} ${partition}/${offset}, ${timeText(at)}`,
          })),
        },
      ];

export const subjectTimeline = (trace: SubjectTrace, use: SubjectUse, causeOf: FindCause): Timeline => ({
  title: `${trace.kind.slice(0, 1).toUpperCase()}${trace.kind.slice(1)} ${trace.id}`,
  notes: [
    ...(trace.statuses.length === 0
      ? ['No record created it.']
      : [`time in each status: ${spansText(trace.statuses)}`]),
    ...(trace.erased === null ? [] : [`erased ${timeText(trace.erased.at)} by ${actorText(trace.erased.by)}`]),
  ],
  lanes: [
    {
      name: 'status',
      spans: trace.statuses.map(({ status, from, to, ms }) => ({
        ...{ from, to, label: status, tone: TONES[status] ?? 'store' },
        title: `${status}${ms === null ? '' : `, ${durationText(ms)}`}, since ${timeText(from)}`,
      })),
      marks: [],
    },
    ...eventLanes(trace, causeOf),
    ...renderLane(use),
    ...deliveryLanes(use.deliveries?.newest ?? []),
  ],
  listings: [listOf(trace, causeOf)],
});
