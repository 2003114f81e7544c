import type { Reply } from '../platform/http-server/replies.ts';
import type { UpstreamFault } from './upstream.ts';

/**
 * The gateway's answer when the API gave none. A request that was never sent had no effect. A request that was sent may
 * have one, so the answer to a POST says that its outcome is unknown. The error code of the connection does not
 * distinguish the two: a long-lived connection may also end as unreachable.
 * @param path of the table of routes; determines the effect of a repeat
 */
export const upstreamFaultReply = (
  method: string,
  path: string | null,
  { sent }: Pick<UpstreamFault, 'sent'>,
): Reply => {
  const headers = { 'Retry-After': '1' };
  if (!sent) {
    return { status: 503, headers, body: { error: 'the service is not reachable at the moment; nothing was changed' } };
  }
  if (method !== 'POST') return { status: 502, headers, body: { error: 'the service did not answer; try again' } };
  const again =
    path === '/v1/renders'
      ? 'Retry with the same Idempotency-Key; without one a retry may make a second render, so send one next time'
      : 'Try again: what was carried out is not carried out twice';
  const error = `the service did not answer, so the outcome is unknown: the request may have been carried out. ${again}`;
  return { status: 502, headers, body: { error } };
};
