import type { IncomingHttpHeaders } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { checkContentType } from '../../platform/http-server/json-body.ts';

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
  const type = checkContentType({ headers });
  return E.isLeft(type) ? type.left : null;
};
