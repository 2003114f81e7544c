import { createHmac } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import type { ProjectWriter } from '../../catalogue/documents/write-projects.ts';
import type { Starters } from '../../catalogue/starters/starters.ts';
import { type FetchUrls, urlKey } from '../../catalogue/uploads/document-urls.ts';
import { hasScope } from '../../domain/access/scopes.ts';
import { actor } from '../../domain/event/meta.ts';
import type { Shape } from '../../domain/shape/shape.ts';
import type { Access } from '../../platform/access/access.ts';
import { accountRateFault } from '../../platform/access/account-rate.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { reportIgnoredMembers } from '../../platform/access/ignored-input.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import { decodeShape, isObject, ObjectShape } from '../../schemas/http/shapes.ts';

export type ProjectRouteDependencies = {
  readonly catalogue: Omit<CatalogueWriter, 'actor' | 'causation_id'>;
  readonly blobs: ProjectWriter['blobs'];
  readonly findVersionWithAsset: ProjectWriter['findVersionWithAsset'];
  readonly findUploadsOf: (account_id: string) => ProjectWriter['findUploads'];
  readonly fetchUrlsOf: (account_id: string) => ProjectWriter['fetchUrls'];
  readonly filesOf: (account_id: string) => ProjectWriter['account_files'];
  /** Changes of projects, counted for each account over all its keys and sessions. */
  readonly changes: RateLimits;
  readonly starters: Starters;
  /** Must never change: ids of projects are derived from it. */
  readonly idempotency_secret: string;
};

export const NO_SCOPE: ApiError = {
  ...{ tag: 'forbidden', code: 'scope_needed' },
  message:
    'this API key lacks the scope projects:write; create a key with this scope in the dashboard or with renderctl',
};

/** Counts a change of the account. Null if it is within the limit. */
export const changeFault = (
  { changes }: Pick<ProjectRouteDependencies, 'changes'>,
  { account_id }: Pick<Access, 'account_id'>,
): Promise<ApiError | null> => accountRateFault(changes, account_id, 'changes of projects');

/** For keys with the scope. It looks at no project before, so that a refusal reveals nothing. */
export const forProjectWriters =
  (parts: Pick<ProjectRouteDependencies, 'changes'>, handler: AuthenticatedHandler): AuthenticatedHandler =>
  async (request, access) => {
    if (!hasScope(access, 'projects:write')) return E.left(NO_SCOPE);
    const too_many = await changeFault(parts, access);
    return too_many === null ? await handler(request, access) : E.left(too_many);
  };

/** A key that may not upload files may not let the service fetch them. */
const refuseUrls: FetchUrls = async (_team_id, sources) => {
  const message = 'needs an API key with the scope projects:write';
  const faults = new Map(sources.map((source) => [urlKey(source), message]));
  return E.right({ files: new Map(), faults, pending: 0 });
};

export const writerFor = (
  { catalogue, blobs, findVersionWithAsset, findUploadsOf, fetchUrlsOf, filesOf }: ProjectRouteDependencies,
  access: Access,
): ProjectWriter => ({
  catalogue: { ...catalogue, actor: actor('key', access.key_id) },
  findUploads: findUploadsOf(access.account_id),
  fetchUrls: hasScope(access, 'projects:write') ? fetchUrlsOf(access.account_id) : refuseUrls,
  account_files: filesOf(access.account_id),
  ...{ blobs, findVersionWithAsset, user_id: access.user_id, team_ids: [...access.teams.keys()] },
});

const ID_DIGITS = 32;

/** The id of the project that a request with an Idempotency-Key creates (ADR 21); null without a key. */
export const projectIdFor = (
  request: Pick<ApiRequest, 'headers'>,
  { account_id }: Pick<Access, 'account_id'>,
  { idempotency_secret }: Pick<ProjectRouteDependencies, 'idempotency_secret'>,
): E.Either<ApiError, string | null> => {
  const key = idempotencyKey(request);
  if (E.isLeft(key)) return E.left(invalidInput(key.left));
  if (key.right === null) return E.right(null);
  const digits = createHmac('sha256', idempotency_secret).update(`project\0${account_id}\0${key.right}`).digest('hex');
  return E.right(`proj_${digits.slice(0, ID_DIGITS)}`);
};

export const decodeRequest = async <A>(request: ApiRequest, shape: Shape<A>): Promise<E.Either<ApiError, A>> => {
  const body = await request.json();
  if (E.isLeft(body)) return body;
  if (!isObject(body.right)) return E.left({ tag: 'invalid', message: 'the body must be a JSON object' });
  if (shape instanceof ObjectShape) reportIgnoredMembers(request, Object.keys(shape.members), body.right);
  return E.mapLeft(invalidInput)(decodeShape(shape, body.right));
};
