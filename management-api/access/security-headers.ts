import type { Server } from 'restify';

/** Two years, as browsers' own lists ask for. */
const HSTS = 'max-age=63072000';

/** No page is made of these answers, in no frame and with nothing that runs. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Headers of every answer, refusals before any route included. @param public_url undefined where nobody can sign in */
export const addSecurityHeaders = ({ server }: Server, public_url: string | undefined): void => {
  const headers = Object.entries({
    ...HEADERS,
    ...(public_url?.startsWith('https:') === true && { 'Strict-Transport-Security': HSTS }),
  });
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  });
};
