import * as E from 'fp-ts/lib/Either.js';
import { type KeyView, keyView } from '../../catalogue/answers.ts';
import { catalogueError, isIdTaken } from '../../catalogue/api-errors/catalogue-error.ts';
import { createKey, type NewKey } from '../../catalogue/keys.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { ApiKeyRequest } from '../../schemas/http/management/keys.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { IDEMPOTENCY_CONFLICT, idempotentCreationId } from '../access/creation-id.ts';
import { decodeBody } from '../access/json-object.ts';
import type { TeamAccess } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { keyResourceFor } from './seen-key.ts';

/**
 * Whether the key is the one that the request asks for. Ignores what may have changed since: a personal key can lose
 * teams, and a rotated key expires sooner.
 */
const isTheSame = (key: KeyView, wanted: NewKey): boolean =>
  key.name === wanted.name &&
  key.user_id === wanted.user_id &&
  key.account_id === wanted.account_id &&
  key.scopes.length === (wanted.scopes ?? []).length &&
  key.scopes.every((scope) => wanted.scopes?.includes(scope)) &&
  key.team_ids.every((team_id) => wanted.team_ids.includes(team_id)) &&
  (key.user_id !== null || key.team_ids.length === wanted.team_ids.length) &&
  (key.replaced_by !== null || key.expires_at === wanted.expires_at);

/** The answer to a repeat. It has no secret, because secrets are not stored. */
const repeated = (at: TeamAccess, key: KeyView, wanted: NewKey, now: number): E.Either<ApiError, Reply> =>
  isTheSame(key, wanted)
    ? E.right({ status: 200, body: { ...keyResourceFor(at, key, now), secret: null, repeated: true } })
    : E.left(IDEMPOTENCY_CONFLICT);

export const createTeamKey =
  (parts: RouteDependencies): TeamHandler =>
  async (request, at) => {
    const { person, team } = at;
    const body = await decodeBody(request, ApiKeyRequest);
    if (E.isLeft(body)) return body;
    const id = idempotentCreationId(request, 'key', person.user_id, team.id);
    if (E.isLeft(id)) return id;
    const now = parts.clock.now();
    const { name, kind, team_ids, expires_at, scopes } = body.right;
    if (team_ids !== null && !team_ids.includes(team.id))
      return E.left({
        tag: 'invalid',
        code: 'invalid_field',
        param: 'team_ids',
        message: 'team_ids: must include the team of the key',
      });
    if (expires_at !== null && expires_at <= now)
      return E.left({
        tag: 'invalid',
        code: 'invalid_field',
        param: 'expires_at',
        message: 'expires_at: must be in the future, or null',
      });
    const wanted: NewKey = {
      ...{ account_id: team.account_id, user_id: kind === 'personal' ? person.user_id : null, name, expires_at },
      ...{ team_ids: team_ids ?? [team.id], scopes: scopes ?? [] },
      ...(id.right !== null && { id: id.right }),
    };
    const before = async () => (wanted.id === undefined ? null : await parts.read_model.find('api_key', wanted.id));
    const known = await before();
    if (known !== null) return repeated(at, keyView(known, null), wanted, now);
    const created = await createKey(catalogueWriterFor(parts, person), wanted);
    if (E.isRight(created)) {
      const { key: secret, ...key } = created.right;
      return E.right({ status: 201, body: { ...keyResourceFor(at, key, now), secret, repeated: false } });
    }
    const meanwhile = isIdTaken(created.left) ? await before() : null;
    if (meanwhile !== null) return repeated(at, keyView(meanwhile, null), wanted, now);
    return E.left(catalogueError(created.left));
  };
