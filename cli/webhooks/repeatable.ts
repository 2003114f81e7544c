import type { EndpointView } from '../../catalogue/answers.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { CliFault } from '../fault.ts';
import { timeText } from '../table.ts';

const refused = (reason: string, message: string): CliFault => ({ tag: 'refused', reason, message });

/** Why the endpoint gets no deliveries, and what to do; null if it gets them. */
export const endpointRefusal = ({
  id,
  state,
  disabled,
}: Pick<EndpointView, 'id' | 'state' | 'disabled'>): CliFault | null => {
  if (state === 'deleted')
    return refused('endpoint_deleted', `${id} was deleted; create another with "renderctl webhook create"`);
  if (disabled === null) return null;
  return refused(
    'endpoint_disabled',
    `${id} has been disabled since ${timeText(disabled.since)} (${disabled.reason}); enable it with "renderctl webhook enable ${id}", then repeat the command`,
  );
};

type Delivery = Pick<WebhookDeliveryDocument, '_id' | 'state' | 'status_offset'>;

/** Why a delivery cannot be repeated; null if it can. Succeeded deliveries can be repeated too. */
export const repeatRefusal = ({ _id, state, status_offset }: Delivery): CliFault | null => {
  if (status_offset === null) return refused('test', `${_id} was a test; send another with "renderctl webhook test"`);
  if (state === 'pending')
    return refused('pending', `${_id} is still pending; follow it with "renderctl webhook delivery ${_id} --watch"`);
  return null;
};
