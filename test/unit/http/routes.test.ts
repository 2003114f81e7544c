import test from 'ava';
import { MongoClient } from 'mongodb';
import type { Server } from 'restify';
import { addCommandRoutes } from '../../../command-api/api.ts';
import { addManagementRoutes, addRoutesWithoutSignIn } from '../../../management-api/api.ts';
import { createServer } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { addQueryRoutes } from '../../../query-api/api.ts';
import { openCatalogue } from '../../../read-models/catalogue/catalogue.ts';
import { openRenders } from '../../../read-models/renders/renders.ts';
import { openUploads } from '../../../read-models/uploads/uploads.ts';
import { type ApiName, allowedMethodsAt, isShadowed, routePatternAt, routesOf } from '../../../schemas/http/routes.ts';

const logger = createLogger('test', 'silent');

const emptyServer = (): Server =>
  createServer({ name: 'test', logger, metrics: createMetrics('test'), readiness: createReadiness() });

/** Each route of a server, as `GET /v1/renders/{id}`. */
const routesIn = (server: Server): readonly string[] =>
  Object.values<{ readonly method: string; readonly path: unknown }>(Object(server.router.getRoutes()))
    .map(
      ({ method, path }) =>
        `${method} ${String(path)
          .replace(/:(\w+)/g, '{$1}')
          .replace(/\*$/, '{path*}')}`,
    )
    .sort();

const tableOf = (api: ApiName): readonly string[] =>
  routesOf(api)
    .flatMap(({ method, path }) => (method === 'GET' ? [`GET ${path}`, `HEAD ${path}`] : [`${method} ${path}`]))
    .sort();

const unused = (): never => {
  throw new Error('no request is made here');
};

test('the query API has exactly its routes of the table', (t) => {
  const server = emptyServer();
  const db = new MongoClient('mongodb://127.0.0.1:9').db('test');
  const blobs = { putPayload: unused, getPayload: unused, signedUrl: unused };
  addQueryRoutes(
    server,
    logger,
    { admit: unused },
    {
      findVersionRows: unused,
      ...{ renders: openRenders(db), catalogue: openCatalogue(db) },
      account: Object.create(null),
      output_policy: { isGone: unused, namedBy: unused },
      blobs: Object.assign(Object.create(null), blobs),
      uploads: { uploads: openUploads(db), upload_blobs: { stagedBlocks: unused }, block_lists: unused },
    },
    'x'.repeat(32),
    SYSTEM_CLOCK,
  );
  t.deepEqual(routesIn(server), tableOf('query-api'));
});

test('the command API has exactly its routes of the table', (t) => {
  const server = emptyServer();
  addCommandRoutes(
    server,
    logger,
    { admit: unused },
    Object.assign(Object.create(null), { idempotency_secret: 'x'.repeat(32) }),
    {
      renders: { find: unused, findAll: unused, foldedUntil: unused },
      records: { append: unused },
      clock: SYSTEM_CLOCK,
    },
    Object.assign(Object.create(null), { idempotency_secret: 'x'.repeat(32) }),
    Object.assign(Object.create(null), { secret: 'x'.repeat(32) }),
  );
  t.deepEqual(routesIn(server), tableOf('command-api'));
});

test('the management API has exactly its routes, with and without a provider', (t) => {
  const server = emptyServer();
  const nothing = Object.create(null);
  const parts = {
    guards: nothing,
    signing: nothing,
    sessions: nothing,
    accepting: nothing,
    commands: nothing,
    endpoints: nothing,
    projects: nothing,
    uploads: nothing,
    renders: nothing,
    installation: nothing,
    audits: nothing,
    statistics: nothing,
    live: nothing,
    profilesOf: nothing,
  };
  addManagementRoutes(server, logger, parts, null);
  t.deepEqual(routesIn(server), tableOf('management-api'));
  const without = emptyServer();
  addRoutesWithoutSignIn(without, logger);
  t.deepEqual(routesIn(without), tableOf('management-api'));
});

test('a path is found by its segments', (t) => {
  t.is(routePatternAt('/v1/renders'), '/v1/renders');
  t.is(routePatternAt('/v1/renders/rend_1'), '/v1/renders/{id}');
  t.is(routePatternAt('/v1/renders/a%2Fb'), '/v1/renders/{id}', 'an escaped slash is no separator');
  t.is(routePatternAt('/v1/renders/'), '/v1/renders/{id}', 'an empty id matches no resource');
  t.is(routePatternAt('/v1/%72enders'), '/v1/renders');
  t.is(routePatternAt('/v1/docs/page.css'), '/v1/docs/{file}');
  t.is(routePatternAt('/v1/docs/'), '/v1/docs/{file}');
  t.is(routePatternAt('/v1/projects/check'), '/v1/projects/check');
  t.is(routePatternAt('/v1/projects/{id}'), '/v1/projects/{id}', 'braces are no segment of a path');
  t.is(routePatternAt('/'), '/');
  t.is(routePatternAt('/manage/v1/session'), '/manage/v1/session');
  t.is(routePatternAt('/dashboard'), '/dashboard');
  t.is(routePatternAt('/dashboard/'), '/dashboard/{path*}', 'the rest of a path matches any number of segments');
  t.is(routePatternAt('/dashboard/teams/team_1/renders'), '/dashboard/{path*}');
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/render',
    '/v1/renders/a/b',
    '/dashboards',
    '/dashboards/a',
    '/V1/renders',
    'v1/renders',
    '',
    '/v1/%',
    `/v1/renders/${'x'.repeat(17_000)}`,
  ])
    t.is(routePatternAt(path), null, path.slice(0, 50));
});

test('a path without parameters is not taken for one with a parameter', (t) => {
  for (const method of ['GET', 'HEAD', 'PUT']) t.true(isShadowed(method, '/v1/projects/check'), method);
  for (const method of ['POST', 'OPTIONS']) t.false(isShadowed(method, '/v1/projects/check'), method);
  t.false(isShadowed('GET', '/v1/projects/proj_1'));
  t.false(isShadowed('PUT', '/v1/projects'), 'the router answers this itself');
});

test('the allowed methods of a path are all methods that it has', (t) => {
  t.deepEqual(allowedMethodsAt('/v1/renders'), ['GET', 'HEAD', 'OPTIONS', 'POST']);
  t.deepEqual(allowedMethodsAt('/v1/renders/x'), ['GET', 'HEAD', 'OPTIONS']);
  t.is(allowedMethodsAt('/v1/nothing'), null);
});
