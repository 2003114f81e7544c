import type { Reply } from '../platform/http-server/replies.ts';
import type { UpstreamFault } from './upstream.ts';

/**
 * The answer when the API gave none. A request that was never sent changed nothing. One that was sent may have, so the
 * answer to a POST says that its outcome is unknown. The error code of the connection does not tell the two apart: a
 * connection that was open for long may end as unreachable, too.
 */
export const upstreamFaultReply = (method: string, { sent }: Pick<UpstreamFault, 'sent'>): Reply => {
  const headers = { 'Retry-After': '1' };
  if (!sent) {
    return { status: 503, headers, body: { error: 'the service is not reachable at the moment; nothing was changed' } };
  }
  return {
    status: 502,
    headers,
    body: {
      error:
        method === 'POST'
          ? 'the service did not answer, so the outcome is unknown: the request may have been carried out. ' +
            'Retry with the same Idempotency-Key; without one a retry may make a second render, so send one next time'
          : 'the service did not answer; try again',
    },
  };
};
