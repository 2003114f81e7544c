import { errorBody, UNCACHED } from '../platform/http-server/api-error.ts';
import type { Reply } from '../platform/http-server/replies.ts';
import type { UpstreamFault } from './upstream.ts';

/**
 * The answer to the client if the API gave none. An unsent request had no effect. The outcome of a sent POST is
 * unknown. The error code does not show whether the request was sent, because a long-lived connection may also end as
 * unreachable.
 *
 * @param path of the route table; decides what a repeat would do
 */
export const upstreamFaultReply = (
  method: string,
  path: string | null,
  { sent }: Pick<UpstreamFault, 'sent'>,
): Reply => {
  const headers = { ...UNCACHED, 'Retry-After': '1' };
  if (!sent) {
    const body = errorBody('unavailable', 'the service is not reachable at the moment; nothing was changed');
    return { status: 503, headers, body };
  }
  if (method !== 'POST')
    return { status: 502, headers, body: errorBody('no_answer', 'the service did not respond; try again') };
  const again =
    path === '/v1/renders'
      ? 'Retry with the same Idempotency-Key; without one a retry may make a second render, so send one next time'
      : 'Try again: completed work is not repeated';
  const error = `the service did not answer, so the outcome is unknown: the request may have been carried out. ${again}`;
  return { status: 502, headers, body: errorBody('outcome_unknown', error) };
};
