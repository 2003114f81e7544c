import { ROUTES, routePatternAt } from '../../../schemas/http/routes.ts';
import { type Answer, bearer, sendOnce, untilServed } from './_client.ts';
import { PLAIN, type World } from './_world.ts';

/** A request without a key. `path` starts with /v1. */
export type Ask = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown };

export type Ids = Readonly<Record<'render' | 'project' | 'template' | 'team' | 'user' | 'upload', string>>;

export const asksFor = ({ render, project, template, team, user, upload }: Ids): readonly Ask[] => [
  { method: 'POST', path: '/v1/renders', body: { ...PLAIN, project_id: project } },
  { method: 'GET', path: `/v1/renders?project_id=${project}` },
  { method: 'GET', path: `/v1/renders/${render}` },
  { method: 'GET', path: `/v1/renders/${render}/transitions` },
  { method: 'GET', path: `/v1/templates?project_id=${project}` },
  { method: 'GET', path: `/v1/templates/${template}?project_id=${project}` },
  { method: 'GET', path: `/v1/projects?team_id=${team}` },
  { method: 'GET', path: `/v1/projects/${project}` },
  { method: 'GET', path: `/v1/projects/${project}/versions` },
  { method: 'GET', path: `/v1/projects/${project}/versions/1` },
  { method: 'GET', path: `/v1/projects/${project}/assets` },
  { method: 'POST', path: '/v1/projects/check', body: { project_id: project } },
  { method: 'POST', path: '/v1/stills', body: { project_id: project } },
  { method: 'GET', path: `/v1/teams/${team}` },
  { method: 'GET', path: `/v1/users?team_id=${team}` },
  { method: 'GET', path: `/v1/users/${user}` },
  { method: 'GET', path: `/v1/uploads/${upload}` },
  { method: 'POST', path: `/v1/renders/${render}/cancel` },
];

/** Changes of projects, and uploads for them. A key without the scope gets 403, whether they exist or not. */
export const changesFor = ({ project, team, upload }: Pick<Ids, 'project' | 'team' | 'upload'>): readonly Ask[] => [
  { method: 'POST', path: '/v1/projects', body: { team_id: team, document: {} } },
  { method: 'POST', path: `/v1/projects/${project}/versions`, body: { document: {} } },
  { method: 'POST', path: `/v1/projects/${project}/rename`, body: { name: 'Other' } },
  { method: 'POST', path: `/v1/projects/${project}/copy`, body: {} },
  { method: 'POST', path: `/v1/projects/${project}/erase`, body: {} },
  { method: 'POST', path: '/v1/uploads', body: { name: 'logo.png', team_id: team } },
  { method: 'POST', path: '/v1/uploads/fetch', body: { url: 'https://example.com/logo.png', team_id: team } },
  { method: 'POST', path: `/v1/uploads/${upload}/complete`, body: {} },
];

/** Every key can send this request. */
export const TEAMS: Ask = { method: 'GET', path: '/v1/teams' };

/** Every key can send this request, about its own account. */
export const ACCOUNT: Ask = { method: 'GET', path: '/v1/account' };

/** Every key can send this request, and gets the same answer. */
export const STARTERS: Ask = { method: 'GET', path: '/v1/starters' };

export const routeOf = ({ method, path }: Ask): string => `${method} ${routePatternAt(path.split('?')[0] ?? '')}`;

/** Routes without a key, which only describe the interface. */
const OPEN = ['GET /', 'GET /v1/openapi.json', 'GET /v1/docs', 'GET /v1/docs/{file}'];

export const ROUTES_WITH_KEY = Object.entries(ROUTES)
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  .filter((route) => !OPEN.includes(route));

export const apiOf = ({ stack }: World, { method }: Ask): string =>
  stack.component(method === 'POST' ? 'command-api' : 'query-api').url ?? '';

export const JSON_TYPE = { 'Content-Type': 'application/json' };

/**
 * Returns the first answer, also a 503.
 *
 * @param base_url of an API or of the gateway
 */
export const sendAskOnce = (
  base_url: string,
  { method, path, body }: Ask,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> =>
  sendOnce(`${base_url}${path}`, {
    method,
    headers: body === undefined ? headers : { ...JSON_TYPE, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Retries while the answer is 503. If the outcome is unknown, that can create a second render. */
export const sendAsk: typeof sendAskOnce = (...asked) => untilServed(() => sendAskOnce(...asked));

/** Sends the request with this key to the API, without the gateway. */
export const ask = (world: World, asked: Ask, key: string): Promise<Answer> =>
  sendAsk(apiOf(world, asked), asked, bearer(key));
