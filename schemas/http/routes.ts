import { GUARDS, type ManagementPath } from './management/contract.ts';
import type { RouteMethod } from './openapi.ts';
import { PUBLIC } from './public/contract.ts';

export type ApiName = 'command-api' | 'query-api' | 'management-api';

type RouteTable = Readonly<Record<string, Readonly<Partial<Record<RouteMethod, ApiName>>>>>;

const tableOf = (routes: readonly string[], api: Readonly<Record<RouteMethod, ApiName>>): RouteTable => {
  const table: Record<string, Partial<Record<RouteMethod, ApiName>>> = {};
  for (const route of routes) {
    const [, path = ''] = route.split(' ');
    const method = route.startsWith('POST ') ? 'POST' : 'GET';
    table[path] = { ...table[path], [method]: api[method] };
  }
  return table;
};

/** Public routes that need no API key. */
const OPEN_ROUTES = ['GET /', 'GET /v1/openapi.json', 'GET /v1/docs', 'GET /v1/docs/{file}'] as const;

/**
 * The public routes. All APIs and the gateway know the whole table, so that they give the same answer if a path lacks a
 * method.
 */
export const ROUTES = tableOf([...Object.keys(PUBLIC), ...OPEN_ROUTES], { GET: 'query-api', POST: 'command-api' });

/** The routes of the management API. They need a session; API keys do not work there. */
export const MANAGEMENT_ROUTES = tableOf(Object.keys(GUARDS), { GET: 'management-api', POST: 'management-api' });

const DASHBOARD_ROUTES = {
  '/dashboard': { GET: 'management-api' },
  '/dashboard/{path*}': { GET: 'management-api' },
} as const satisfies RouteTable;

const table: RouteTable = { ...ROUTES, ...MANAGEMENT_ROUTES, ...DASHBOARD_ROUTES };

const open: readonly string[] = OPEN_ROUTES.map((route) => route.slice('GET '.length));

/** Includes sign-in routes, which need no session. */
export const isManagement = (path: string): boolean => path in MANAGEMENT_ROUTES;

export const isDashboard = (path: string): boolean => path in DASHBOARD_ROUTES;

/** Management routes that need no session. The API does not limit their rate, only the gateway does. */
const SESSIONLESS: readonly string[] = [
  '/manage/v1/openapi.json',
  '/manage/v1/sign-in',
  '/manage/v1/sign-in/callback',
  '/manage/v1/device-sign-ins',
  '/manage/v1/device-sign-ins/poll',
] satisfies readonly ManagementPath[];

/** Routes where programs begin a session. Their answers need no cookie. */
export const isOfPrograms = (path: string): boolean => path.startsWith('/manage/v1/device-sign-ins');

export const needsSession = (path: string): boolean => isManagement(path) && !SESSIONLESS.includes(path);

export const needsKey = (path: string): boolean => !open.includes(path) && !isManagement(path) && !isDashboard(path);

export const isStream = (path: string): boolean => path === '/manage/v1/accounts/{account_id}/changes';

const PUBLIC_FILES: readonly string[] = ['/v1/openapi.json', '/v1/docs', '/manage/v1/openapi.json'];
const PUBLIC_FOLDERS = ['/v1/docs/', '/dashboard/assets/'];

/** Whether the path is of a file that is the same for every client. The file may not exist. */
export const isPublicFile = (pathname: string): boolean =>
  PUBLIC_FILES.includes(pathname) || PUBLIC_FOLDERS.some((folder) => pathname.startsWith(folder));

/** The maximum size of a request head, so no request has a longer path. */
const MAX_PATH_LENGTH = 16 * 1024;

/** Matches any number of segments at the end of a path. */
const REST = '{path*}';

/** An empty parameter matches too: a missing id is not found, like a wrong one. */
const matches = (path: string, segments: readonly string[]): boolean => {
  const wanted = path.split('/');
  if (wanted.at(-1) === REST)
    return (
      segments.length >= wanted.length && wanted.slice(0, -1).every((segment, index) => segment === segments[index])
    );
  return (
    wanted.length === segments.length &&
    wanted.every((segment, index) => segment.startsWith('{') || segment === segments[index])
  );
};

/** Decodes unnecessary escapes, as a router does. */
const plain = (pathname: string): string => {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
};

export const routePatternAt = (pathname: string): string | null => {
  if (pathname.length > MAX_PATH_LENGTH) return null;
  const path = plain(pathname);
  // A path without parameters comes first: `/v1/projects/check` is not the project `check`.
  if (Object.hasOwn(table, path) && !path.includes('{')) return path;
  const segments = path.split('/');
  return Object.keys(table).find((pattern) => matches(pattern, segments)) ?? null;
};

/** @returns null if the path does not exist */
export const allowedMethodsAt = (pathname: string): readonly string[] | null => {
  const path = routePatternAt(pathname);
  const methods = path === null ? undefined : table[path];
  if (methods === undefined) return null;
  return [
    ...(methods.GET === undefined ? [] : ['GET', 'HEAD']),
    'OPTIONS',
    ...(methods.POST === undefined ? [] : ['POST']),
  ];
};

/** Paths without parameters that also match a path with one, as `/v1/projects/check` matches `/v1/projects/{id}`. */
const SHADOWING: ReadonlySet<string> = new Set(
  Object.keys(table).filter((path) => {
    const segments = path.split('/');
    return !path.includes('{') && Object.keys(table).some((other) => other !== path && matches(other, segments));
  }),
);

/** Whether a router would take the request for the other path, although the path lacks the method. */
export const isShadowed = (method: string, pathname: string): boolean =>
  SHADOWING.has(pathname) && allowedMethodsAt(pathname)?.includes(method) === false;

export const routesOf = (api: ApiName): readonly { readonly method: RouteMethod; readonly path: string }[] =>
  Object.entries(table).flatMap(([path, methods]) =>
    (['GET', 'POST'] as const).flatMap((method) => (methods[method] === api ? [{ method, path }] : [])),
  );
