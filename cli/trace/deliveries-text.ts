import { tableText, timeText } from '../table.ts';
import { answerText, type TracedDelivery } from './deliveries.ts';

export const deliveriesTable = (deliveries: readonly TracedDelivery[]): string =>
  tableText(
    ['delivery', 'planned', 'event', 'render', 'endpoint', 'state', 'attempts'],
    deliveries.map(({ delivery_id, planned_at, event, render_id, endpoint_id, stage, reason, attempts }) => [
      ...[delivery_id, timeText(planned_at), event, render_id, endpoint_id],
      reason === null ? stage : `${stage}: ${reason}`,
      attempts.length === 0 ? null : attempts.map((one) => `${answerText(one)} in ${one.duration_ms} ms`).join(', '),
    ]),
  );
