import type { IncomingHttpHeaders } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { checkContentType } from '../../platform/http-server/json-body.ts';

const contentTypeFault = (headers: IncomingHttpHeaders): ApiError | null => {
  const type = checkContentType({ headers });
  return E.isLeft(type) ? type.left : null;
};

/**
 * Browsers send Origin with every POST, and no page can forge it. HTML forms cannot send JSON, so another site's page
 * needs a CORS preflight, which fails.
 */
export const crossSiteFault = (headers: IncomingHttpHeaders, public_url: string): ApiError | null => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== public_url) {
    const named = origin === undefined ? 'the header is missing' : 'it is another origin';
    return {
      tag: 'forbidden',
      code: 'wrong_origin',
      param: 'Origin',
      message: `Origin must be ${public_url}: ${named}`,
    };
  }
  if (site !== undefined && site !== 'same-origin')
    return {
      ...{ tag: 'forbidden', code: 'wrong_origin', param: 'Sec-Fetch-Site' },
      message: 'Sec-Fetch-Site must be same-origin: only pages of this service can make changes',
    };
  return contentTypeFault(headers);
};

/**
 * The refusal of a request from a browser, where only programs are allowed. Browsers add one of these headers to every
 * request that a page of another site can send.
 */
export const browserFault = ({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): ApiError | null =>
  origin === undefined && site === undefined
    ? null
    : { tag: 'forbidden', message: 'only programs can use this, and a browser sent the request: use the dashboard' };

/** The refusal of a POST that a browser sent, or whose body is no JSON. */
export const programFault = (headers: IncomingHttpHeaders): ApiError | null =>
  browserFault(headers) ?? contentTypeFault(headers);
