import type { Reply } from '../../platform/http-server/replies.ts';
import type { UpstreamFault } from './upstream.ts';

const REFUSED = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/**
 * The answer when the API behind the gateway did not give one. A request that was never sent changed nothing; one that
 * was may have, so the answer to a writing request says that its outcome is unknown.
 */
export const awayReply = (method: string, { code, sent }: Pick<UpstreamFault, 'code' | 'sent'>): Reply => {
  const headers = { 'Retry-After': '1' };
  if (!sent || (code !== undefined && REFUSED.includes(code))) {
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
