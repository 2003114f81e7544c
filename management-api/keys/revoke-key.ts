import * as E from 'fp-ts/lib/Either.js';
import type { KeyView } from '../../catalogue/answers.ts';
import { commandReply } from '../../catalogue/api-errors/catalogue-error.ts';
import { revokeKey } from '../../catalogue/keys.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { findTeamKey, keyResourceFor } from './seen-key.ts';

/**
 * Revokes a key, and answers only when every process refuses the key. No recent sign-in is needed, so that a leaked key
 * can be revoked at once.
 */
export const revokeTeamKey =
  (parts: RouteDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const key = await findTeamKey(parts, at, request.params.key_id ?? '');
    if (E.isLeft(key)) return key;
    const revoked = await revokeKey(catalogueWriterFor(parts, at.person), key.right.id);
    return commandReply((ended: KeyView) => keyResourceFor(at, ended, parts.clock.now()))(revoked);
  };
