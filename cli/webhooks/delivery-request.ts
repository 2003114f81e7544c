import * as E from 'fp-ts/lib/Either.js';
import type { DeliveryRequested } from '../../domain/webhooks/delivery-events.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CliFault } from '../fault.ts';

/**
 * The record's key is the render's id, so the relay that makes the render's other deliveries also makes this one.
 *
 * @param next_step advice if it is unknown whether the request was appended
 */
export const requestDelivery = async (
  records: RecordLog,
  request: DeliveryRequested,
  next_step: string,
): Promise<E.Either<CliFault, null>> => {
  const appended = await records.append('webhook-events', request.render_id, request);
  if (E.isRight(appended)) return E.right(null);
  const { tag, message } = appended.left;
  return E.left(tag === 'outcome_unknown' ? { tag, message, next_step } : { tag, message });
};
