import type { Request } from 'restify';

const MAX_PARAMETERS = 100;

/** restify joins the Host header and the target, so these characters would add the host to the path. */
const NOT_IN_A_HOST = /[/?#@\\]/;

/** Finds malformed addresses here, because restify would throw outside of any error handler. */
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
  if (query === -1 || url.length - query < MAX_PARAMETERS) return 0;
  return url.slice(query).split('&').length;
};

const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** Path and query as sent, without the scheme and host of the proxy form. */
export const requestTarget = (url: string): string => {
  if (url.startsWith('/')) return url;
  const target = url.replace(AUTHORITY, '');
  return target.startsWith('?') || target === '' ? `/${target}` : target;
};

const pathOf = (target: string): string => {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
};

/** Fast path: without an escape, a dot or an empty segment the path is already normal. */
const PLAIN = /^(\/[\w~-]+)+\/?$/;

/** False if a proxy could route the path differently: it has dots (also `%2e`), a backslash or an empty segment. */
const isNormal = (path: string): boolean => {
  if (PLAIN.test(path)) return true;
  if (!path.startsWith('/') || path.includes('//')) return false;
  return new URL(`http://host${path}`).pathname === path;
};

/** Null if the request can be routed. */
export const addressFault = (request: Request): string | null => {
  const { url = '', method } = request;
  if (!isReadable(request)) return 'the address or the Host header is malformed (check its percent-encoding)';
  if (url !== '*' || method !== 'OPTIONS') {
    const target = requestTarget(url);
    if (target.includes('#')) return 'the address has a fragment (#…): remove it';
    if (!isNormal(pathOf(target)))
      return 'the path is not normal: it must begin with one slash, and have no empty or dot segments, no backslashes and nothing that must be percent-encoded';
  }
  return parametersIn(url) > MAX_PARAMETERS ? `the address has more than ${MAX_PARAMETERS} query parameters` : null;
};
