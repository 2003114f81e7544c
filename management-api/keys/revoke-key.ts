import * as E from 'fp-ts/lib/Either.js';
import type { KeyAnswer } from '../../catalogue/answers.ts';
import { revokeKey } from '../../catalogue/keys.ts';
import { type Commands, catalogueOf } from '../access/commands.ts';
import { bodyOf } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { answered } from '../answers/catalogue-fault.ts';
import { keyInTeam, seenKey } from './seen-key.ts';

/**
 * Answers when every process refuses the key. No recent sign-in is needed, so that a leaked key can be revoked at once.
 */
export const revokeTeamKey =
  (parts: Commands): TeamHandler =>
  async (request, at) => {
    const body = await bodyOf(request);
    if (E.isLeft(body)) return body;
    const key = await keyInTeam(parts, at, request.params.key_id ?? '');
    if (E.isLeft(key)) return key;
    const revoked = await revokeKey(catalogueOf(parts, at.person), key.right.id);
    return answered((ended: KeyAnswer) => seenKey(at, ended, parts.clock.now()))(revoked);
  };
