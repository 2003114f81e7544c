/** Where a pending delivery stands in its lane: see `waiting` of `WebhookDeliveryDocument`. */
export type Waiting = {
  readonly partition: number;
  readonly endpoint_id: string;
  /** When the next attempt is due, ms. */
  readonly due_at: number;
  /** Its place among those planned in the partition. */
  readonly order: number;
};

const PARTITION_DIGITS = 4;
const DUE_DIGITS = 13;
const ORDER_DIGITS = 12;

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

export const waitingText = ({ partition, endpoint_id, due_at, order }: Waiting): string =>
  `${digits(partition, PARTITION_DIGITS)}/${endpoint_id}/${digits(due_at, DUE_DIGITS)}${digits(order, ORDER_DIGITS)}`;

export const waitingOfText = (text: string): Waiting => {
  const [partition = '', endpoint_id = '', place = ''] = text.split('/');
  return {
    partition: Number(partition),
    endpoint_id,
    due_at: Number(place.slice(0, DUE_DIGITS)),
    order: Number(place.slice(DUE_DIGITS)),
  };
};
