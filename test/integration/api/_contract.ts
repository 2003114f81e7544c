import { allowedMethodsAt, needsKey, routePatternAt } from '../../../schemas/http/routes.ts';
import { faultsUnder, membersOf, resolved } from '../../helpers/openapi.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
};

const BEFORE_THE_PATH = [400, 408, 431, 502, 503];

const headerFaults = (response: readonly string[], { headers }: Answer): readonly string[] =>
  membersOf([...response, 'headers']).flatMap((name) => {
    const { place, value } = resolved([...response, 'headers', name]);
    const sent = headers.get(name);
    const required = Object(value).required === true;
    if (sent === null) return required ? [`lacks the header ${name}`] : [];
    const { value: schema } = resolved([...place, 'schema']);
    const parsed = Object(schema).type === 'integer' ? Number(sent) : sent;
    return faultsUnder([...place, 'schema'], parsed).map((fault) => `header ${name}: ${fault}`);
  });

const bodyFaults = (response: readonly string[], method: string, { headers, text, body }: Answer) => {
  const sent = headers.get('content-type')?.split(';')[0] ?? 'none';
  const documented = membersOf([...response, 'content']);
  if (documented.length === 0) return text === '' ? [] : ['a body where none is documented'];
  const media = documented.find((one) => one === sent);
  if (media === undefined) return [`Content-Type ${sent}, not ${documented.join(' or ')}`];
  if (method === 'HEAD') return text === '' ? [] : ['HEAD has a body'];
  return media === 'application/json' ? faultsUnder([...response, 'content', media, 'schema'], body) : [];
};

const isRender = (value: unknown): boolean => /^rend_/.test(Object(value).id) && 'status' in Object(value);

/** The member of a render that exists exactly in a status. */
const EXACTLY_IN = { output: 'complete', failure: 'failed' } as const;

/**
 * Rules that the document has only as text: `has_more` and `next_cursor` agree. Only complete renders have `output`,
 * only failed ones `failure`, and only processed ones `progress`.
 */
const ruleFaults = ({ body }: Answer): readonly string[] => {
  const { has_more, next_cursor, data } = Object(body);
  const paged = has_more === undefined || has_more === (next_cursor !== null);
  const renders = [body, ...(Array.isArray(data) ? data : [])].filter(isRender).map(Object);
  const wrong = renders.flatMap((render) =>
    Object.entries(EXACTLY_IN).flatMap(([member, status]) =>
      member in render === (render.status === status)
        ? []
        : [`a render that is ${render.status} must${render.status === status ? '' : ' not'} have ${member}`],
    ),
  );
  const early = renders.filter((render) => 'progress' in render && render.status !== 'processing');
  return [
    ...(paged ? [] : ['has_more and next_cursor disagree']),
    ...wrong,
    ...early.map(({ status }) => `a render that is ${status} must not have progress`),
  ];
};

const responseFaults = (response: readonly string[], method: string, answer: Answer): readonly string[] => [
  ...headerFaults(response, answer),
  ...bodyFaults(response, method, answer),
  ...ruleFaults(answer),
];

const shared = (name: string) => ['components', 'responses', name];

/** Faults of routes that serve the document and its page, which the document omits. */
const documentationFaults = (method: string, answer: Answer): readonly string[] => {
  const { status, headers, text } = answer;
  if (status === 404) return responseFaults(shared('NotFound'), method, answer);
  if (status === 429) return responseFaults(shared('RateLimited'), method, answer);
  if (BEFORE_THE_PATH.includes(status)) return responseFaults(shared('Malformed'), method, answer);
  return [
    ...(headers.get('x-request-id') === null ? ['lacks the header X-Request-Id'] : []),
    ...([200, 302, 304].includes(status) ? [] : ['documentation has no such status']),
    ...(status === 200 || text === '' ? [] : [`${status} has a body`]),
  ];
};

const answerFaults = (method: string, pathname: string, answer: Answer): readonly string[] => {
  const { status, text, headers } = answer;
  const path = routePatternAt(pathname);
  const allowed = allowedMethodsAt(pathname) ?? [];
  if (status === 500) return ['the service is at fault'];
  if (path === null) {
    if (status === 404) return responseFaults(shared('NotFound'), method, answer);
    return BEFORE_THE_PATH.includes(status) ? responseFaults(shared('Malformed'), method, answer) : ['no such path'];
  }
  if (method === 'OPTIONS' && status === 204) return text === '' ? [] : ['204 has a body'];
  if (!allowed.includes(method)) {
    if (status !== 405) return BEFORE_THE_PATH.includes(status) ? [] : ['no such method: 405 was to be expected'];
    const allow = headers.get('allow');
    const complete = allow === allowed.join(', ') ? [] : [`Allow: ${allow}, not ${allowed.join(', ')}`];
    return [...responseFaults(shared('MethodNotAllowed'), method, answer), ...complete];
  }
  if (!needsKey(path)) return documentationFaults(method, answer);
  const operation = ['paths', path, method === 'HEAD' ? 'get' : method.toLowerCase()];
  // The request went to one API without the gateway, which knows the right one.
  if (status === 404 && /served by another component/.test(text))
    return responseFaults(shared('NotFound'), method, answer);
  const response = resolved([...operation, 'responses', String(status)]);
  if (response.value === undefined) return ['the document has no such status for it'];
  return responseFaults(response.place, method, answer);
};

/** Throws if status, headers or body of an answer violate the OpenAPI document. */
export const holdAgainstContract = (method: string, url: string, answer: Answer): void => {
  const { pathname } = new URL(url);
  if (pathname !== '/' && !pathname.startsWith('/v1/')) return;
  const faults = answerFaults(method, pathname, answer);
  if (faults.length === 0) return;
  const shown = answer.text.length > 2_000 ? `${answer.text.slice(0, 2_000)}…` : answer.text;
  throw new Error(`${method} ${pathname}: ${answer.status} is not as documented: ${faults.join('; ')}\n${shown}`);
};
