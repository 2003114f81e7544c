import type { WebhookAttempt } from '../../read-models/deliveries/documents.ts';
import type { DeliveryAnswer, ListedDeliveryAnswer } from '../http/webhooks.ts';
import { tableText, timeText } from '../table.ts';

const stateText = ({ state, reason }: Pick<DeliveryAnswer, 'state' | 'reason'>): string =>
  reason === null ? state : `${state}: ${reason}`;

const resultText = ({ status, fault }: Pick<WebhookAttempt, 'status' | 'fault'>): string | null =>
  [status, fault?.code].filter((part) => part !== null && part !== undefined).join(' ') || null;

export const deliveriesText = (deliveries: readonly ListedDeliveryAnswer[]): string =>
  tableText(
    ['id', 'planned', 'event', 'render', 'endpoint', 'state', 'attempts', 'last'],
    deliveries.map((delivery) => [
      delivery.id,
      timeText(delivery.planned_at),
      delivery.event,
      delivery.render_id,
      delivery.endpoint_id,
      stateText(delivery),
      delivery.attempts,
      delivery.last_attempt === null ? null : resultText(delivery.last_attempt),
    ]),
  );

const waitText = (wait_ms: number): string => (wait_ms < 1_000 ? 'at once' : `in ${Math.ceil(wait_ms / 1_000)} s`);

/**
 * One attempt, as `--watch` shows it.
 *
 * @param wait_ms until the next attempt; null without one, or if its time is unknown
 */
export const attemptText = (
  { n, status, fault, duration_ms }: WebhookAttempt,
  wait_ms: number | null = null,
): string => {
  const answer = status === null ? '' : ` got status ${status}`;
  const why = fault === null ? '' : `${answer === '' ? '' : ','} ${fault.code}: ${fault.message}`;
  const next = wait_ms === null ? '' : `; the next attempt begins ${waitText(wait_ms)}`;
  return `attempt ${n}${answer}${why}, after ${duration_ms} ms${next}`;
};

const LONGEST_RESPONSE = 2_000;

/** A response must not move the cursor, reverse the line, or fill the screen. */
const responseText = (response: string): string => {
  const clean = response.replace(/[^\P{C}\n\t]/gu, ' ');
  const rest = clean.length - LONGEST_RESPONSE;
  return rest <= 0 ? clean : `${clean.slice(0, LONGEST_RESPONSE)}\n… and ${rest} more characters: --json shows them`;
};

const chainText = ({ repeats, repeated_by, next_attempt_at }: DeliveryAnswer): string[] => [
  ...(repeats === null ? [] : [`It repeats ${repeats}.`]),
  ...(repeated_by === null ? [] : [`${repeated_by} repeats it.`]),
  ...(next_attempt_at === null ? [] : [`The next attempt is due at ${timeText(next_attempt_at)}.`]),
];

export const deliveryText = (delivery: DeliveryAnswer): string => {
  const { attempts } = delivery;
  const summary = tableText(
    ['id', 'planned', 'event', 'render', 'seq', 'endpoint', 'state'],
    [
      [
        delivery.id,
        timeText(delivery.planned_at),
        delivery.event,
        delivery.render_id,
        delivery.seq,
        delivery.endpoint_id,
        stateText(delivery),
      ],
    ],
  );
  const table = tableText(
    ['attempt', 'began', 'took', 'status', 'error'],
    attempts.map(({ n, started_at, duration_ms, status, fault }) => [
      n,
      timeText(started_at),
      `${duration_ms} ms`,
      status,
      fault === null ? null : `${fault.code}: ${fault.message}`,
    ]),
  );
  const responses = attempts.flatMap(({ n, response }) =>
    response === null || response === '' ? [] : [`Response to attempt ${n}:\n${responseText(response)}`],
  );
  const chain = chainText(delivery);
  return [
    summary,
    ...(chain.length === 0 ? [] : [chain.join('\n')]),
    attempts.length === 0 ? 'No attempts yet.' : table,
    ...responses,
  ].join('\n\n');
};
