import type { Request } from 'restify';

/** More are not looked at: every parameter that there is takes one, and each is read once. */
const MOST_PARAMETERS = 100;

/** restify puts the Host header before the target and reads both as one address: in these, the host would be the path. */
const NOT_IN_A_HOST = /[/?#@\\]/;

/** restify would throw where nobody catches. */
const isReadable = (request: Request): boolean => {
  try {
    if (NOT_IN_A_HOST.test(request.headers.host ?? '')) return false;
    request.getUrl();
    if (request.url?.includes('%')) decodeURIComponent(request.url);
    return true;
  } catch {
    return false;
  }
};

const parametersIn = (url: string): number => {
  const query = url.indexOf('?');
  if (query === -1 || url.length - query < MOST_PARAMETERS) return 0;
  return url.slice(query).split('&').length;
};

/** What is wrong with the address of a request as it was sent; null when it can be routed. */
export const addressFault = (request: Request): string | null => {
  if (!isReadable(request)) return 'the address or the Host header is malformed (check its percent-encoding)';
  return parametersIn(request.url ?? '') > MOST_PARAMETERS
    ? `the address has more than ${MOST_PARAMETERS} query parameters`
    : null;
};
