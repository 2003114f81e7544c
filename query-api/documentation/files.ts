import { readFileSync } from 'node:fs';
import { type FixedAnswer, fixedAnswer } from '../../platform/http-server/fixed-answer.ts';
import { OPENAPI } from '../../schemas/http/openapi/document.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** Content-Security-Policy: no other origins, no inline code. */
const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

const own = (name: string): Buffer => readFileSync(new URL(`page/${name}`, import.meta.url));
const installed = (url: string): Buffer => readFileSync(new URL(url));

export type Documentation = {
  readonly document: FixedAnswer;
  readonly page: FixedAnswer;
  /** What the page loads, by name. */
  readonly files: ReadonlyMap<string, FixedAnswer>;
};

/** The OpenAPI document, and the page that Swagger UI draws of it, from files of this installation alone. */
export const readDocumentation = (): Documentation => ({
  document: fixedAnswer(Buffer.from(JSON.stringify(OPENAPI)), 'application/json'),
  page: fixedAnswer(own('page.html'), 'text/html; charset=utf-8', PAGE_HEADERS),
  files: new Map([
    ['page.js', fixedAnswer(own('page.js'), JAVASCRIPT)],
    ['page.css', fixedAnswer(own('page.css'), CSS)],
    ['swagger-ui.js', fixedAnswer(installed(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')), JAVASCRIPT)],
    ['swagger-ui.css', fixedAnswer(installed(import.meta.resolve('swagger-ui-dist/swagger-ui.css')), CSS)],
  ]),
});
