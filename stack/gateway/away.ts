import type { Reply } from '../../platform/http-server/replies.ts';

const REFUSED = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'];

/**
 * The answer when the API behind the gateway did not give one. A connection that never came about changed nothing; one
 * that broke may have, so the answer to a writing request says that its outcome is unknown.
 */
export const awayReply = (method: string, code: string | undefined): Reply => {
  const headers = { 'Retry-After': '1' };
  if (code !== undefined && REFUSED.includes(code)) {
    return { status: 503, headers, body: { error: 'the service is not reachable at the moment; nothing was changed' } };
  }
  return {
    status: 502,
    headers,
    body: {
      error: ['GET', 'HEAD', 'OPTIONS'].includes(method)
        ? 'the service did not answer; try again'
        : 'the service did not answer, so the outcome is unknown: the request may have been carried out. ' +
          'Retry with the same Idempotency-Key; without one a retry may make a second render, so send one next time',
    },
  };
};
