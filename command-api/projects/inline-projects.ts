import { createHmac } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { projectError } from '../../catalogue/api-errors/project-error.ts';
import { createInlineProject, resolveFor } from '../../catalogue/documents/write-projects.ts';
import { hasScope } from '../../domain/access/scopes.ts';
import { INLINE_PREFIX } from '../../domain/catalogue/inline-projects.ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import type { Access } from '../../platform/access/access.ts';
import { teamOfKey } from '../../platform/access/team-of-key.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { trialOf } from '../../render-commands/requesting/decide-render.ts';
import { canonicalFault } from '../../render-commands/requesting/keyed-request.ts';
import { decodeRenderRequest } from '../../schemas/http/public/render-request.ts';
import { isObject } from '../../schemas/http/shapes.ts';
import { changeFault, NO_SCOPE, type ProjectRouteDependencies, writerFor } from './project-writer.ts';

/**
 * Replaces the document in a request of a render by the id of its project, which it creates if it does not exist. A
 * body without a document stays the same.
 */
export type InlineProjects = (access: Access, body: unknown) => Promise<E.Either<ApiError, unknown>>;

const ID_DIGITS = 32;

/** Each erasure of the project of a document uses up an id. */
const MAX_ERASURES = 100;

const invalid = (param: string, fault: string): E.Either<ApiError, never> =>
  E.left({ tag: 'invalid', code: 'invalid_field', param, message: `${param}: ${fault}` });

/** A keyed hash, so that an id confirms no guess of a document. */
const idOf = (secret: string, team_id: string, document: string, erasures: number): string => {
  const hmac = createHmac('sha256', secret).update(`inline\0${team_id}\0${erasures}\0${document}`);
  return `${INLINE_PREFIX}${hmac.digest('hex').slice(0, ID_DIGITS)}`;
};

type InlineRequest = { readonly document: unknown; readonly team_id: string; readonly rest: object };

/** Checks all that needs no project, so that a refused request creates none. */
const requestOf = (access: Access, body: { readonly [name: string]: unknown }): E.Either<ApiError, InlineRequest> => {
  const { project: document, team_id = null, ...rest } = body;
  if (!hasScope(access, 'projects:write')) return E.left(NO_SCOPE);
  if (body.project_id !== undefined && body.project_id !== null)
    return invalid('project', 'must not be sent together with project_id');
  if (team_id !== null && (typeof team_id !== 'string' || team_id === ''))
    return invalid('team_id', 'must be a string');
  const fault = canonicalFault(document);
  if (fault !== null) return invalid('project', fault);
  const team = teamOfKey(team_id, access);
  if (E.isLeft(team)) return team;
  return E.right({ document, team_id: team.right.id, rest });
};

export const openInlineProjects = (parts: ProjectRouteDependencies): InlineProjects => {
  const { catalogue, idempotency_secret } = parts;

  const create = async (
    access: Access,
    { document, team_id, rest }: InlineRequest,
    idAfter: (erasures: number) => string,
  ): Promise<E.Either<ApiError, string>> => {
    const wanted = decodeRenderRequest({ ...rest, project_id: INLINE_PREFIX });
    if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
    const too_many = await changeFault(parts, access);
    if (too_many !== null) return E.left(too_many);
    const writer = writerFor(parts, access);
    const resolved = await resolveFor(writer, null, team_id, document);
    if (E.isLeft(resolved)) return E.left(projectError(resolved.left, 'project'));
    const trial = trialOf(wanted.right, resolved.right.document);
    if (E.isLeft(trial)) return trial;
    for (let erasures = 0; erasures < MAX_ERASURES; erasures += 1) {
      const id = idAfter(erasures);
      const created = await createInlineProject(writer, { id, team_id }, resolved.right);
      if (E.isLeft(created)) return E.left(projectError(created.left, 'project'));
      if (created.right === 'there') return E.right(id);
    }
    return E.left({ tag: 'conflict', message: 'project: this document was erased too often; change it' });
  };

  return async (access, body) => {
    if (!isObject(body) || body.project === undefined || body.project === null) return E.right(body);
    const request = requestOf(access, body);
    if (E.isLeft(request)) return request;
    const { document, team_id, rest } = request.right;
    const json = canonicalJson(document);
    const idAfter = (erasures: number): string => idOf(idempotency_secret, team_id, json, erasures);
    // One query is enough for a document that was rendered before.
    const known = await catalogue.read_model.project(idAfter(0));
    const found = known !== null && known.version > 0 ? E.right(known.id) : null;
    const id = found ?? (await create(access, request.right, idAfter));
    return E.isLeft(id) ? id : E.right({ ...rest, project_id: id.right });
  };
};
