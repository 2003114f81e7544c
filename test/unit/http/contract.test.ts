import test from 'ava';
import { PROJECT_PAGE_EXAMPLE as PROJECT_PAGE } from '../../../schemas/http/public/projects.ts';
import {
  COMPLETE_EXAMPLE as RENDER_COMPLETE,
  CREATED_EXAMPLE as RENDER_CREATED,
} from '../../../schemas/http/public/renders.ts';
import { TEAM_EXAMPLE as TEAM } from '../../../schemas/http/public/teams.ts';
import { type Answer, holdAgainstContract } from '../../integration/api/_contract.ts';

const KEYED = { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '99', 'RateLimit-Reset': '1' };
const USUAL = {
  'X-Request-Id': 'a',
  'Content-Type': 'application/json',
  'Cache-Control': 'private, no-store',
  ...KEYED,
};
const LINK = '</v1/renders/rend_1/transitions>; rel="describedby"';

const answer = (status: number, body: unknown, headers: Readonly<Record<string, string | undefined>> = {}): Answer => {
  const sent = Object.entries({ ...USUAL, ...headers }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return {
    status,
    headers: new Headers(sent),
    text: body === undefined ? '' : JSON.stringify(body),
    body: body ?? null,
  };
};

const held = (method: string, path: string, given: Answer) => () => {
  holdAgainstContract(method, `http://127.0.0.1:1${path}`, given);
};

test('a documented answer passes', (t) => {
  t.notThrows(held('GET', '/v1/teams', answer(200, { data: [TEAM] })));
  t.notThrows(held('GET', '/v1/projects?limit=1', answer(200, PROJECT_PAGE)));
  t.notThrows(held('GET', '/v1/renders/rend_1', answer(200, RENDER_COMPLETE, { Link: LINK })));
  t.notThrows(held('HEAD', '/v1/renders/rend_1', answer(200, undefined, { Link: LINK })));
  t.notThrows(held('POST', '/v1/renders', answer(201, RENDER_CREATED, { Link: LINK, Location: '/v1/renders/rend_1' })));
  t.notThrows(
    held('GET', '/v1/teams', answer(401, { error: 'no', code: 'invalid_api_key' }, { 'WWW-Authenticate': 'Bearer' })),
  );
  t.notThrows(
    held('PUT', '/v1/teams', answer(405, { error: 'no', code: 'method_not_allowed' }, { Allow: 'GET, HEAD, OPTIONS' })),
  );
  t.notThrows(held('GET', '/v1/nothing', answer(404, { error: 'no', code: 'not_found' })));
  t.notThrows(held('GET', '/health/ready', answer(503, { missing: {} })));
});

test('an undocumented answer is reported with its request and the difference', (t) => {
  const wrong: readonly (readonly [string, string, Answer, RegExp])[] = [
    [
      'GET',
      '/v1/teams',
      answer(200, { data: [{ ...TEAM, secret: 1 }] }),
      /GET \/v1\/teams: 200 .*\/data\/0 .*"secret"/,
    ],
    ['GET', '/v1/teams', answer(200, [TEAM]), /must be object/],
    ['GET', '/v1/teams', answer(200, { data: [{ ...TEAM, role: 'owner' }] }), /\/data\/0\/role/],
    ['GET', '/v1/teams', answer(200, { data: [] }, { 'X-Request-Id': undefined }), /lacks the header X-Request-Id/],
    [
      'GET',
      '/v1/teams',
      answer(200, { data: [] }, { 'RateLimit-Limit': undefined }),
      /lacks the header RateLimit-Limit/,
    ],
    ['GET', '/v1/teams', answer(200, { data: [] }, { 'RateLimit-Remaining': '-1' }), /header RateLimit-Remaining/],
    ['GET', '/v1/teams', answer(200, { data: [] }, { 'Content-Type': 'text/html' }), /Content-Type text\/html/],
    ['GET', '/v1/teams', answer(404, { error: 'no', code: 'not_found' }), /has no such status/],
    ['GET', '/v1/teams', answer(500, { error: 'no', code: 'internal_error' }), /at fault/],
    ['GET', '/v1/teams/x', answer(404, { error: 'no', code: 1 }), /\/code/],
    ['GET', '/v1/teams/x', answer(404, { error: 'no' }), /'code'/],
    ['GET', '/v1/teams/x', answer(503, { error: 'no', code: 'unavailable' }), /lacks the header Retry-After/],
    ['GET', '/v1/projects', answer(200, { ...PROJECT_PAGE, has_more: true }), /has_more and next_cursor disagree/],
    [
      'GET',
      '/v1/renders/x',
      answer(200, { ...RENDER_CREATED, output: RENDER_COMPLETE.output }, { Link: LINK }),
      /must not have output/,
    ],
    [
      'GET',
      '/v1/renders/x',
      answer(200, { ...RENDER_COMPLETE, output: undefined }, { Link: LINK }),
      /must have output/,
    ],
    ['GET', '/v1/renders/x', answer(200, { ...RENDER_CREATED, status: 'failed' }, { Link: LINK }), /must have failure/],
    [
      'GET',
      '/v1/renders/x',
      answer(200, { ...RENDER_CREATED, progress: 0.5 }, { Link: LINK }),
      /must not have progress/,
    ],
    ['HEAD', '/v1/teams', answer(200, { data: [] }), /HEAD has a body/],
    ['POST', '/v1/renders', answer(201, RENDER_CREATED, { Link: LINK }), /lacks the header Location/],
    [
      'PUT',
      '/v1/renders',
      answer(405, { error: 'no', code: 'method_not_allowed' }, { Allow: 'POST' }),
      /Allow: POST, not GET, HEAD, OPTIONS, POST/,
    ],
    ['DELETE', '/v1/renders', answer(404, { error: 'no', code: 'not_found' }), /405 was to be expected/],
    ['GET', '/v1/nothing', answer(200, {}), /no such path/],
  ];
  for (const [method, path, given, message] of wrong) {
    const body: unknown = JSON.parse(JSON.stringify(given.body));
    t.throws(held(method, path, { ...given, body }), { message });
  }
});
