import { type Delivery, type DeliveryStage, evolveDelivery } from '../../domain/webhooks/delivery.ts';
import { isWebhookEvent, type WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { recordsOfRender } from './read-trace.ts';
import { EMPTY_META, type TraceRow } from './trace.ts';

export type DeliveryRow = Omit<TraceRow, 'transition' | 'attempt_id' | 'status'> & {
  readonly delivery_id: string | null;
  readonly endpoint_id: string | null;
};

export type TracedAttempt = {
  readonly n: number;
  readonly started_at: number;
  readonly duration_ms: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** A code like `timeout`; null without a fault. */
  readonly fault: string | null;
};

export type TracedDelivery = {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly render_id: string;
  readonly event: string;
  readonly stage: DeliveryStage;
  readonly reason: string | null;
  readonly repeats: string | null;
  readonly planned_at: number;
  readonly ended_at: number | null;
  readonly attempts: readonly TracedAttempt[];
};

export type TracedDeliveries = {
  readonly rows: readonly DeliveryRow[];
  readonly deliveries: readonly TracedDelivery[];
};

export const answerText = ({ status, fault }: Pick<TracedAttempt, 'status' | 'fault'>): string =>
  [status, fault].filter((part) => part !== null).join(' ') || 'no answer';

const attemptsText = (attempts: number): string => `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;

const detailOf = (event: WebhookEvent): string => {
  switch (event.type) {
    case 'DeliveryRequested':
    case 'DeliveryPlanned':
      return event.repeats === null ? event.event : `${event.event}, repeats ${event.repeats}`;
    case 'DeliverySkipped':
      return `${event.event}: ${event.reason}`;
    case 'DeliveryAttempted':
      return `attempt ${event.n}: ${answerText(event)}, ${event.duration_ms} ms`;
    case 'DeliverySucceeded':
      return `after ${attemptsText(event.attempts)}`;
    case 'DeliveryExhausted':
      return `${event.reason}, after ${attemptsText(event.attempts)}`;
  }
};

const ENDS: readonly DeliveryStage[] = ['succeeded', 'exhausted', 'skipped'];

type Known = { readonly delivery: Delivery; readonly told: TracedDelivery };

/** The state of a delivery after an accepted event. */
const toldAfter = (before: TracedDelivery | null, delivery: Delivery, event: WebhookEvent, at: number) => {
  const { id: delivery_id, endpoint_id, render_id, event: kind, stage, reason, repeats } = delivery;
  const attempts = before?.attempts ?? [];
  const { n, started_at, duration_ms, status, fault } =
    event.type === 'DeliveryAttempted' ? event : { n: null, started_at: 0, duration_ms: 0, status: null, fault: null };
  return {
    ...{ delivery_id, endpoint_id, render_id, event: kind, stage, reason, repeats },
    planned_at: before?.planned_at ?? at,
    ended_at: ENDS.includes(stage) ? at : null,
    attempts: n === null ? attempts : [...attempts, { n, started_at, duration_ms, status, fault }],
  };
};

export const readDeliveries = async (
  records: Pick<RecordLog, 'decode'> & { readonly log: Pick<EventLog, 'bounds' | 'replay'> },
  render_id: string,
): Promise<TracedDeliveries> => {
  const rows: DeliveryRow[] = [];
  const known = new Map<string, Known>();
  for await (const record of recordsOfRender(records.log, render_id, 'webhook-events')) {
    const { partition, offset, append_time_ms: appended_at } = record;
    const place = { partition, offset, appended_at };
    const decoded = await records.decode(record.value);
    if (decoded.tag !== 'record' || !isWebhookEvent(decoded.record)) {
      const why =
        decoded.tag === 'record'
          ? ({ verdict: 'poison', reason: `${decoded.record.type} does not belong to this topic` } as const)
          : ({ verdict: decoded.tag, reason: decoded.reason } as const);
      rows.push({ ...place, ...EMPTY_META, type: '?', ...why, detail: null, delivery_id: null, endpoint_id: null });
      continue;
    }
    const event = decoded.record;
    const { type, meta, delivery_id, endpoint_id } = event;
    const before = known.get(delivery_id) ?? null;
    const verdict = evolveDelivery(before?.delivery ?? null, event);
    const reason = verdict.tag === 'ignored' ? verdict.reason : null;
    rows.push({
      ...place,
      type,
      ...meta,
      verdict: verdict.tag,
      reason,
      detail: detailOf(event),
      delivery_id,
      endpoint_id,
    });
    if (verdict.tag === 'accepted') {
      const { delivery } = verdict;
      known.set(delivery_id, { delivery, told: toldAfter(before?.told ?? null, delivery, event, appended_at) });
    }
  }
  return { rows, deliveries: Array.from(known.values(), ({ told }) => told) };
};
