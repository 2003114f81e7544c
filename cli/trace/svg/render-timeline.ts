import { actorText } from '../../../domain/event/meta.ts';
import { isErased } from '../../../domain/render/render.ts';
import { timeText } from '../../table.ts';
import { causeText, type FindCause } from '../causes.ts';
import { answerText, type TracedDeliveries, type TracedDelivery } from '../deliveries.ts';
import { type AttemptSpan, attemptSpans, durationText, spansText, statusSpans } from '../life.ts';
import { type Trace, type TraceRow, verdictText } from '../trace.ts';
import type { ColorRole, EventMark, Timeline, TimelineLane, TimelineTable } from './timeline.ts';

const STATUS_TONES: Readonly<Record<string, ColorRole>> = {
  ...{ initializing: 'wait', ready: 'wait', queued: 'wait', processing: 'work', finalizing: 'store' },
  ...{ complete: 'good', failed: 'bad' },
};

const ATTEMPT_TONES: Readonly<Record<AttemptSpan['outcome'], ColorRole>> = {
  ...{ running: 'work', lost: 'wait', complete: 'good', failed: 'bad' },
};

const STAGE_TONES: Readonly<Record<TracedDelivery['stage'], ColorRole>> = {
  ...{ requested: 'wait', pending: 'work', succeeded: 'good', exhausted: 'bad', skipped: 'over' },
};

const lines = (...parts: readonly (string | null)[]): string => parts.filter((part) => part !== null).join('\n');

type ToldRow = Pick<
  TraceRow,
  'partition' | 'offset' | 'appended_at' | 'type' | 'verdict' | 'reason' | 'actor' | 'causation_id'
>;

export const rowTitle = (row: ToldRow, topic: string, causeOf: FindCause, detail: string | null): string =>
  lines(
    `${row.type}, ${verdictText(row)}`,
    `${topic} ${row.partition}/${row.offset}, ${timeText(row.appended_at)}`,
    row.actor === null ? null : `by ${actorText(row.actor)}`,
    row.causation_id === null ? null : `cause ${causeText({ ...row, cause: causeOf(row) }, topic) ?? ''}`,
    detail,
  );

const BAD: readonly string[] = ['AttemptLost', 'RenderFailed'];

const eventMarks = ({ rows }: Trace, causeOf: FindCause): readonly EventMark[] =>
  rows.map((row) => ({
    at: row.appended_at,
    label: row.type,
    tone: BAD.includes(row.type) || row.verdict !== 'accepted' ? 'bad' : 'plain',
    hollow: row.verdict !== 'accepted',
    title: rowTitle(row, 'render-events', causeOf, row.detail),
  }));

const byName = <A>(all: readonly A[], nameOf: (one: A) => string): readonly (readonly [string, readonly A[]])[] => [
  ...Map.groupBy(all, nameOf),
];

const attemptLanes = (trace: Trace): readonly TimelineLane[] =>
  byName(attemptSpans(trace), ({ worker_id }) => worker_id).map(([name, attempts]) => ({
    name,
    spans: attempts.map(({ attempt_id, n, assigned_at, ended_at, outcome, reason }) => ({
      ...{ from: assigned_at, to: ended_at, tone: ATTEMPT_TONES[outcome], label: `attempt ${n}, ${outcome}` },
      title: lines(
        `attempt ${n}, ${attempt_id}: ${outcome}`,
        reason,
        ended_at === null ? null : durationText(ended_at - assigned_at),
      ),
    })),
    marks: [],
  }));

const deliveryTitle = ({ delivery_id, render_id, event, stage, reason, attempts }: TracedDelivery): string =>
  lines(
    `${delivery_id}: ${event} of ${render_id}`,
    reason === null ? stage : `${stage}: ${reason}`,
    ...attempts.map((attempt) => `attempt ${attempt.n}: ${answerText(attempt)}, ${attempt.duration_ms} ms`),
  );

/** Attempts use the relay's clock. An attempt that appears to begin before the plan is drawn at the plan. */
export const deliveryLanes = (deliveries: readonly TracedDelivery[]): readonly TimelineLane[] =>
  byName(deliveries, ({ endpoint_id }) => endpoint_id).map(([name, own]) => ({
    name,
    spans: own.map((delivery) => ({
      ...{ from: delivery.planned_at, to: delivery.ended_at, tone: STAGE_TONES[delivery.stage] },
      ...{ label: delivery.event, title: deliveryTitle(delivery) },
    })),
    marks: own.flatMap((delivery) =>
      delivery.attempts.map((attempt) => ({
        at: Math.max(attempt.started_at + attempt.duration_ms, delivery.planned_at),
        label: answerText(attempt),
        tone: attempt.fault === null ? ('good' as const) : ('bad' as const),
        hollow: false,
        title: deliveryTitle(delivery),
      })),
    ),
  }));

const eventList = ({ rows }: Trace, causeOf: FindCause): TimelineTable => ({
  headings: ['render-events', 'appended', 'event', 'verdict', 'status', 'by', 'cause', 'attempt', 'detail'],
  rows: rows.map((row) => ({
    cells: [
      ...[`${row.partition}/${row.offset}`, timeText(row.appended_at), row.type, verdictText(row)],
      row.transition === null ? row.status : `-> ${row.transition.to}`,
      ...[
        row.actor === null ? null : actorText(row.actor),
        causeText({ ...row, cause: causeOf(row) }, 'render-events'),
        row.attempt_id,
        row.detail,
      ],
    ],
    faint: row.verdict !== 'accepted',
  })),
});

const deliveryList = ({ rows }: TracedDeliveries, causeOf: FindCause): TimelineTable => ({
  headings: ['webhook-events', 'appended', 'event', 'verdict', 'delivery', 'endpoint', 'by', 'cause', 'detail'],
  rows: rows.map((row) => ({
    cells: [
      ...[`${row.partition}/${row.offset}`, timeText(row.appended_at), row.type, verdictText(row)],
      ...[row.delivery_id, row.endpoint_id, row.actor === null ? null : actorText(row.actor)],
      ...[causeText({ ...row, cause: causeOf(row) }, 'webhook-events'), row.detail],
    ],
    faint: row.verdict !== 'accepted',
  })),
});

export const renderTimeline = (
  id: string,
  trace: Trace,
  tracedDeliveries: TracedDeliveries,
  causeOf: FindCause,
): Timeline => {
  const { render } = trace;
  const statuses = statusSpans(trace);
  const listings = [
    eventList(trace, causeOf),
    ...(tracedDeliveries.rows.length === 0 ? [] : [deliveryList(tracedDeliveries, causeOf)]),
  ];
  return {
    title: `Render ${id}`,
    notes: [
      ...(render === null
        ? ['No event of this render was accepted.']
        : [
            `account ${render.account_id}, team ${render.team_id}, project ${render.project_id} version ${render.project_version}`,
          ]),
      ...(statuses.length === 0 ? [] : [`time in each status: ${spansText(statuses)}`]),
      ...(render !== null && isErased(render) ? [`erased ${timeText(render.erased_at ?? 0)}`] : []),
    ],
    lanes: [
      {
        name: 'status',
        spans: statuses.map(({ status, from, to, ms }) => ({
          ...{ from, to, label: status, tone: STATUS_TONES[status] ?? 'plain' },
          title: `${status}${ms === null ? '' : `, ${durationText(ms)}`}, since ${timeText(from)}`,
        })),
        marks: [],
      },
      { name: 'events', spans: [], marks: eventMarks(trace, causeOf) },
      ...attemptLanes(trace),
      ...deliveryLanes(tracedDeliveries.deliveries),
    ],
    listings,
  };
};
