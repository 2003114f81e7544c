import type { Reply } from '../platform/http-server/replies.ts';
import type { UpstreamFault } from './upstream.ts';

/**
 * The answer when the API gave none. A request that was never sent changed nothing. One that was sent may have, so the
 * answer to a POST says that its outcome is unknown. The error code of the connection does not tell the two apart: a
 * connection that was open for long may end as unreachable, too.
 *
 * @param path of the table of routes: what a repeat does depends on it
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
