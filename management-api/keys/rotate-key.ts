import * as E from 'fp-ts/lib/Either.js';
import { catalogueError, isIdTaken } from '../../catalogue/api-errors/catalogue-error.ts';
import { keyById, type RotatedKey, rotateKey } from '../../catalogue/keys.ts';
import { RotateRequest } from '../../schemas/http/management/keys.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { idempotentCreationId } from '../access/creation-id.ts';
import { decodeBody } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { findTeamKey, keyResourceFor } from './seen-key.ts';

const MS_PER_S = 1_000;

export const rotateTeamKey =
  (parts: RouteDependencies): TeamHandler =>
  async (request, at) => {
    const { person, team } = at;
    const body = await decodeBody(request, RotateRequest);
    if (E.isLeft(body)) return body;
    const key_id = request.params.key_id ?? '';
    const old = await findTeamKey(parts, at, key_id);
    if (E.isLeft(old)) return old;
    const id = idempotentCreationId(request, 'key', person.user_id, team.id, 'rotates', key_id);
    if (E.isLeft(id)) return id;
    const { overlap_s, expires_at } = body.right;
    const now = parts.clock.now();
    if (expires_at !== null && expires_at <= now)
      return E.left({
        tag: 'invalid',
        code: 'invalid_field',
        param: 'expires_at',
        message: 'expires_at: must be in the future, or null',
      });

    /** The answer to a repeated request; null for a first one. */
    const before = async () => {
      const [newKeyId, replaced] = [id.right, await keyById(parts.read_model, key_id)];
      if (newKeyId === null || E.isLeft(replaced) || replaced.right.replaced_by !== newKeyId) return null;
      const found = await keyById(parts.read_model, newKeyId);
      if (E.isLeft(found)) return null;
      const replaces = keyResourceFor(at, replaced.right, now);
      return { status: 200, body: { ...keyResourceFor(at, found.right, now), secret: null, repeated: true, replaces } };
    };

    const known = await before();
    if (known !== null) return E.right(known);
    const rotation = { key_id, overlap_ms: overlap_s * MS_PER_S, expires_at };
    const new_id = id.right === null ? {} : { new_key_id: id.right };
    const rotated = await rotateKey(catalogueWriterFor(parts, person), { ...rotation, ...new_id });
    if (E.isRight(rotated)) {
      const { key: secret, replaces, ...key }: RotatedKey = rotated.right;
      const shown = {
        ...keyResourceFor(at, key, now),
        secret,
        repeated: false,
        replaces: keyResourceFor(at, replaces, now),
      };
      return E.right({ status: 201, body: shown });
    }
    const meanwhile = isIdTaken(rotated.left) ? await before() : null;
    return meanwhile === null ? E.left(catalogueError(rotated.left)) : E.right(meanwhile);
  };
