import type { EndpointAnswer } from '../../catalogue/answers.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { CliFault } from '../fault.ts';
import { timeText } from '../table.ts';

const refused = (reason: string, message: string): CliFault => ({ tag: 'refused', reason, message });

/** Why an endpoint gets no deliveries, and the remedy; null if it gets them. */
export const endpointRefusal = ({
  id,
  state,
  disabled,
}: Pick<EndpointAnswer, 'id' | 'state' | 'disabled'>): CliFault | null => {
  if (state === 'deleted')
    return refused('endpoint_deleted', `${id} was deleted: create another one with "renderctl webhook create"`);
  if (disabled === null) return null;
  return refused(
    'endpoint_disabled',
    `${id} is disabled since ${timeText(disabled.since)} (${disabled.reason}): enable it with "renderctl webhook enable ${id}", then repeat the command`,
  );
};

type Delivery = Pick<WebhookDeliveryDocument, '_id' | 'state' | 'status_offset'>;

/**
 * Why a delivery cannot be repeated; null if it can. A delivery that has ended can be repeated even if it succeeded.
 */
export const repeatRefusal = ({ _id, state, status_offset }: Delivery): CliFault | null => {
  if (status_offset === null)
    return refused('test', `${_id} was a test: send another one with "renderctl webhook test"`);
  if (state === 'pending')
    return refused('pending', `${_id} has not ended: follow it with "renderctl webhook delivery ${_id} --watch"`);
  return null;
};
