import { readFileSync } from 'node:fs';
import type { Request, Response, Server } from 'restify';
import { type StaticResponse, sendStatic, staticResponse } from '../../platform/http-server/fixed-answer.ts';
import { sendError, sendRedirect } from '../../platform/http-server/replies.ts';
import { OPENAPI } from '../../schemas/http/public/document.ts';
import { guidePage } from './guide.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** The documentation page loads nothing from other origins and runs no inline code. */
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

type Documentation = {
  readonly document: StaticResponse;
  readonly page: StaticResponse;
  /** Scripts and styles by file name. */
  readonly files: ReadonlyMap<string, StaticResponse>;
};

const readDocumentation = (): Documentation => ({
  document: staticResponse(Buffer.from(JSON.stringify(OPENAPI)), 'application/json'),
  page: staticResponse(
    Buffer.from(guidePage(own('page.html').toString('utf8'))),
    'text/html; charset=utf-8',
    PAGE_HEADERS,
  ),
  files: new Map([
    ...['page.js', 'authorization.js', 'code-samples.js', 'guide.js'].map(
      (name) => [name, staticResponse(own(name), JAVASCRIPT)] as const,
    ),
    ['page.css', staticResponse(own('page.css'), CSS)],
    [
      'swagger-ui.js',
      staticResponse(installed(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')), JAVASCRIPT),
    ],
    ['swagger-ui.css', staticResponse(installed(import.meta.resolve('swagger-ui-dist/swagger-ui.css')), CSS)],
  ]),
});

/** Paths to the documentation files. They are relative, so that a proxy may serve the service below another path. */
const FROM_ROOT = 'v1/docs';
const FROM_FOLDER = '../docs';

/** These routes need no key. */
export const addDocumentationRoutes = (server: Server): void => {
  const { document, page, files } = readDocumentation();
  const add = (path: string, answer: (request: Request, response: Response) => Promise<void>): void => {
    server.get(path, answer);
    server.head(path, answer);
  };
  add('/', async (_request, response) => sendRedirect(response, FROM_ROOT));
  add('/v1/openapi.json', async (request, response) => await sendStatic(request, response, document));
  add('/v1/docs', async (request, response) => await sendStatic(request, response, page));
  add('/v1/docs/:file', async (request, response) => {
    const { file: name } = request.params;
    const file = files.get(name);
    if (file !== undefined) await sendStatic(request, response, file);
    else if (name === '') sendRedirect(response, FROM_FOLDER);
    else sendError(response, { tag: 'not_found', code: 'unknown_path', message: 'there is no such file' });
  });
};
