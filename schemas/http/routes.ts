/** The process that answers a route. */
export type ApiName = 'command-api' | 'query-api' | 'management-api';

/** Methods of routes; HEAD goes with every GET, OPTIONS with every path. */
export type RouteMethod = 'GET' | 'POST';

type RouteTable = Readonly<Record<string, Readonly<Partial<Record<RouteMethod, ApiName>>>>>;

/**
 * Every path below /v1, with its methods and who answers them. All APIs and the gateway know all of it, so that every
 * process gives the same answer to a method that a path does not have. Segments in braces are parameters.
 */
export const ROUTES = {
  '/v1/renders': { GET: 'query-api', POST: 'command-api' },
  '/v1/renders/{id}': { GET: 'query-api' },
  '/v1/renders/{id}/cancel': { POST: 'command-api' },
  '/v1/renders/{id}/transitions': { GET: 'query-api' },
  '/v1/templates': { GET: 'query-api' },
  '/v1/templates/{template_id}': { GET: 'query-api' },
  '/v1/projects': { GET: 'query-api' },
  '/v1/projects/{id}': { GET: 'query-api' },
  '/v1/teams': { GET: 'query-api' },
  '/v1/teams/{id}': { GET: 'query-api' },
  '/v1/users': { GET: 'query-api' },
  '/v1/users/{id}': { GET: 'query-api' },
  '/': { GET: 'query-api' },
  '/v1/openapi.json': { GET: 'query-api' },
  '/v1/docs': { GET: 'query-api' },
  '/v1/docs/{file}': { GET: 'query-api' },
} as const satisfies RouteTable;

/** Every path of the management interface, likewise: for people who signed in, not for API keys. */
export const MANAGEMENT_ROUTES = {
  '/manage/v1/openapi.json': { GET: 'management-api' },
  '/manage/v1/sign-in': { GET: 'management-api' },
  '/manage/v1/sign-in/callback': { GET: 'management-api' },
  '/manage/v1/sign-out': { POST: 'management-api' },
  '/manage/v1/session': { GET: 'management-api' },
  '/manage/v1/sessions': { GET: 'management-api' },
  '/manage/v1/sessions/{id}/revoke': { POST: 'management-api' },
  '/manage/v1/invitations/accept': { POST: 'management-api' },
  '/manage/v1/me': { GET: 'management-api' },
  '/manage/v1/me/erase': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/rename': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/leave': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/members': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/members/add': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/members/{user_id}/role': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/members/{user_id}/remove': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/invitations': { GET: 'management-api', POST: 'management-api' },
  '/manage/v1/teams/{team_id}/invitations/{invitation_id}/revoke': { POST: 'management-api' },
  '/manage/v1/accounts/{account_id}': { GET: 'management-api' },
  '/manage/v1/accounts/{account_id}/rename': { POST: 'management-api' },
  '/manage/v1/accounts/{account_id}/erase': { POST: 'management-api' },
  '/manage/v1/accounts/{account_id}/teams': { GET: 'management-api', POST: 'management-api' },
  '/manage/v1/accounts/{account_id}/owners': { GET: 'management-api' },
  '/manage/v1/accounts/{account_id}/owners/add': { POST: 'management-api' },
  '/manage/v1/accounts/{account_id}/owners/{user_id}/remove': { POST: 'management-api' },
  '/manage/v1/accounts/{account_id}/invitations': { GET: 'management-api', POST: 'management-api' },
  '/manage/v1/accounts/{account_id}/invitations/{invitation_id}/revoke': { POST: 'management-api' },
  '/manage/v1/accounts/{account_id}/limits': { GET: 'management-api' },
  '/manage/v1/accounts/{account_id}/downloads': { GET: 'management-api', POST: 'management-api' },
  '/manage/v1/teams/{team_id}/audit': { GET: 'management-api' },
  '/manage/v1/accounts/{account_id}/audit': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/statistics': { GET: 'management-api' },
  '/manage/v1/accounts/{account_id}/statistics': { GET: 'management-api' },
  '/manage/v1/accounts/{account_id}/usage': { GET: 'management-api' },
  '/manage/v1/accounts/{account_id}/changes': { GET: 'management-api' },
  '/manage/v1/operators/accounts': { GET: 'management-api' },
  '/manage/v1/operators/queues': { GET: 'management-api' },
  '/manage/v1/operators/workers': { GET: 'management-api' },
  '/manage/v1/operators/read-models': { GET: 'management-api' },
  '/manage/v1/operators/stopped-partitions': { GET: 'management-api' },
  '/manage/v1/operators/quarantine': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/projects': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/projects/{project_id}': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/projects/{project_id}/erase': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/projects/{project_id}/renders': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/projects/{project_id}/templates': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/renders': { GET: 'management-api', POST: 'management-api' },
  '/manage/v1/teams/{team_id}/renders/{render_id}': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/renders/{render_id}/files': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/renders/{render_id}/events': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/renders/{render_id}/deliveries': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/renders/{render_id}/request': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/renders/{render_id}/cancel': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/renders/{render_id}/erase': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/keys': { GET: 'management-api', POST: 'management-api' },
  '/manage/v1/teams/{team_id}/keys/{key_id}': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/keys/{key_id}/rotate': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/keys/{key_id}/revoke': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints': { GET: 'management-api', POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/events': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/disable': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/enable': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/rotate-secret': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/activate-secret': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/delete': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/test': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliver-again': { POST: 'management-api' },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliveries': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/deliveries/{delivery_id}': { GET: 'management-api' },
  '/manage/v1/teams/{team_id}/deliveries/{delivery_id}/again': { POST: 'management-api' },
} as const satisfies RouteTable;

/** The dashboard: static files, and one page for all other paths below it, which finds its way by itself. */
const DASHBOARD_ROUTES = {
  '/dashboard': { GET: 'management-api' },
  '/dashboard/{path*}': { GET: 'management-api' },
} as const satisfies RouteTable;

type RoutePath = keyof typeof ROUTES;
export type ManagementPath = keyof typeof MANAGEMENT_ROUTES;

const table: RouteTable = { ...ROUTES, ...MANAGEMENT_ROUTES, ...DASHBOARD_ROUTES };

/** Documentation: these need no key. */
const OPEN = ['/', '/v1/openapi.json', '/v1/docs', '/v1/docs/{file}'] as const satisfies readonly RoutePath[];

export type KeyedPath = Exclude<RoutePath, (typeof OPEN)[number]>;

const open: readonly string[] = OPEN;

/** Whether a route is of the management interface. Signing in begins there, too, so not each of them needs a session. */
export const isManagement = (path: string): boolean => path in MANAGEMENT_ROUTES;

/** Whether a route is of the dashboard's files, which are the same for everybody. */
export const isDashboard = (path: string): boolean => path in DASHBOARD_ROUTES;

/** Of the management interface, what is the same with a session and without. No other limit than the gateway's is on it. */
const SESSIONLESS: readonly string[] = [
  '/manage/v1/openapi.json',
  '/manage/v1/sign-in',
  '/manage/v1/sign-in/callback',
] satisfies readonly ManagementPath[];

/** @param path of the table of routes */
export const needsSession = (path: string): boolean => isManagement(path) && !SESSIONLESS.includes(path);

/** Whether a route needs an API key. */
export const needsKey = (path: string): boolean => !open.includes(path) && !isManagement(path) && !isDashboard(path);

/** Whether a route is answered for as long as the client listens. */
export const isStream = (path: string): boolean => path === '/manage/v1/accounts/{account_id}/changes';

const PUBLIC_FILES: readonly string[] = ['/v1/openapi.json', '/v1/docs', '/manage/v1/openapi.json'] satisfies readonly (
  | RoutePath
  | ManagementPath
)[];
const PUBLIC_FOLDERS = ['/v1/docs/', '/dashboard/assets/'];

/** Whether a path leads to a file that is the same for everybody, where there is one. */
export const isPublicFile = (pathname: string): boolean =>
  PUBLIC_FILES.includes(pathname) || PUBLIC_FOLDERS.some((folder) => pathname.startsWith(folder));

/** The size of a request head, so that every path that a router can get is matched here as well. */
const LONGEST = 16 * 1024;

/** What stands for any number of segments, at the end of a path. */
const REST = '{path*}';

/** An empty parameter counts as one: a missing id is not found, like a wrong one. */
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

/** The path as a router reads it: unnecessary escapes are decoded. */
const plain = (pathname: string): string => {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
};

/** @param pathname without a query, as it was sent */
export const routeAt = (pathname: string): string | null => {
  if (pathname.length > LONGEST) return null;
  const segments = plain(pathname).split('/');
  return Object.keys(table).find((path) => matches(path, segments)) ?? null;
};

/**
 * The `Allow` header of a path.
 *
 * @returns null where there is no such path
 */
export const allowedAt = (pathname: string): readonly string[] | null => {
  const path = routeAt(pathname);
  const methods = path === null ? undefined : table[path];
  if (methods === undefined) return null;
  return [
    ...(methods.GET === undefined ? [] : ['GET', 'HEAD']),
    'OPTIONS',
    ...(methods.POST === undefined ? [] : ['POST']),
  ];
};

/** The routes that one API answers. */
export const routesOf = (api: ApiName): readonly { readonly method: RouteMethod; readonly path: string }[] =>
  Object.entries(table).flatMap(([path, methods]) =>
    (['GET', 'POST'] as const).flatMap((method) => (methods[method] === api ? [{ method, path }] : [])),
  );
