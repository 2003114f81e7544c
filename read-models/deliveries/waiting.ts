/**
 * The parts of `waiting` in `WebhookDeliveryDocument`: `<4-digit partition>/<endpoint>/<13-digit due_at><12-digit
 * order>`. Only this file knows the format.
 */
export type QueuePosition = {
  readonly partition: number;
  readonly endpoint_id: string;
  readonly due_at: number;
  readonly order: number;
};

const PARTITION_DIGITS = 4;
const DUE_DIGITS = 13;
const ORDER_DIGITS = 12;

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

export const partitionStart = (partition: number): string => `${digits(partition, PARTITION_DIGITS)}/`;

export const queueStart = (partition: number, endpoint_id: string): string =>
  `${partitionStart(partition)}${endpoint_id}/`;

export const queuePositionOfTime = (due_at: number): string => digits(due_at, DUE_DIGITS);

export const queuePositionText = ({ partition, endpoint_id, due_at, order }: QueuePosition): string =>
  `${queueStart(partition, endpoint_id)}${queuePositionOfTime(due_at)}${digits(order, ORDER_DIGITS)}`;

export const queuePositionOfText = (text: string): string => text.slice(-(DUE_DIGITS + ORDER_DIGITS));

export const dueAtOfQueuePosition = (position: string): number => Number(position.slice(0, DUE_DIGITS));

export const parseQueuePosition = (text: string): QueuePosition => {
  const [partition = '', endpoint_id = '', position = ''] = text.split('/');
  return {
    partition: Number(partition),
    endpoint_id,
    due_at: dueAtOfQueuePosition(position),
    order: Number(position.slice(DUE_DIGITS)),
  };
};

export const rescheduledPosition = (text: string | undefined, due_at: number): string =>
  queuePositionText({ ...parseQueuePosition(text ?? ''), due_at });
