import type { Server } from 'restify';

/** Two years, as the preload lists of browsers require. */
const HSTS = 'max-age=63072000';

/**
 * Headers of every answer. Browsers must never treat answers of the API as pages, so frames, scripts and forms are
 * forbidden.
 */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/**
 * Sets headers on every answer, including refusals before routing.
 *
 * @param public_url undefined without sign-in
 */
export const addSecurityHeaders = ({ server }: Server, public_url: string | undefined): void => {
  const headers = Object.entries({
    ...HEADERS,
    ...(public_url?.startsWith('https:') === true && { 'Strict-Transport-Security': HSTS }),
  });
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  });
};
