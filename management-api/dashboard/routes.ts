import { randomBytes } from 'node:crypto';
import type { Request, Response, Server } from 'restify';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { sendStatic } from '../../platform/http-server/fixed-answer.ts';
import { sendError, sendRedirect, sendText } from '../../platform/http-server/replies.ts';
import { routePattern } from '../../platform/http-server/route.ts';
import { isDashboard, routesOf } from '../../schemas/http/routes.ts';
import { type Dashboard, NONCE_PLACEHOLDER } from './read-dashboard.ts';

const ASSETS = '/dashboard/assets/';
const NOT_BUILT = 'the dashboard was not built: run "npm run build:dashboard" and restart';
const NONCE_BYTES = 16;

/**
 * The Content-Security-Policy. It allows only files of this service, and media. The only inline content are styles of
 * the component library, which carry the nonce.
 */
const policy = (nonce: string, media_origin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob: ${media_origin}`,
    `media-src ${media_origin}`,
    "font-src 'self'",
    `connect-src 'self' ${media_origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const sendPage = (response: Response, { page, media_origin }: Dashboard): void => {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  sendText(response, page.replaceAll(NONCE_PLACEHOLDER, nonce), {
    'Content-Type': 'text/html; charset=utf-8',
    // The page must not be cached, because its nonce is valid for one answer only.
    'Cache-Control': 'no-cache, no-store',
    'Content-Security-Policy': policy(nonce, media_origin),
  });
};

const notFound = (message: string): ApiError => ({ tag: 'not_found', code: 'unknown_path', message });

/**
 * Every path that is not an asset gets the page.
 *
 * @param absent the message if the dashboard was not built
 */
export const addDashboardRoutes = (server: Server, dashboard: Dashboard | null, absent: string = NOT_BUILT): void => {
  const answer = async (request: Request, response: Response): Promise<void> => {
    const path = request.path();
    if (dashboard === null) return sendError(response, notFound(absent));
    if (path === '/dashboard') return sendRedirect(response, '/dashboard/');
    if (!path.startsWith(ASSETS)) return sendPage(response, dashboard);
    const asset = dashboard.assets.get(path.slice(ASSETS.length));
    return asset === undefined
      ? sendError(response, notFound('there is no such file'))
      : await sendStatic(request, response, asset);
  };
  for (const { path } of routesOf('management-api').filter((route) => isDashboard(route.path))) {
    server.get(routePattern(path), answer);
    server.head(routePattern(path), answer);
  }
};
