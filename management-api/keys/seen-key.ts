import * as E from 'fp-ts/lib/Either.js';
import type { KeyAnswer } from '../../catalogue/answers.ts';
import { keyById } from '../../catalogue/keys.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { keyResource } from '../../schemas/http/management/resources/key-resource.ts';
import type { Commands } from '../access/commands.ts';
import { isLookedUp, type ReachedTeam } from '../access/reach.ts';

/** The key as this person may see it. @param now ms since the epoch */
export const seenKey = ({ person, team }: ReachedTeam, key: KeyAnswer, now: number) => {
  const owns = person.owned_accounts.has(key.account_id);
  return keyResource(key, (team_id) => owns || team_id === team.id || person.roles.has(team_id), now);
};

const NO_KEY: ApiError = { tag: 'not_found', message: 'there is no such API key' };

/** A key that reaches this team: others are not there. */
export const keyInTeam = async (
  { read_model }: Pick<Commands, 'read_model'>,
  { team }: ReachedTeam,
  key_id: string,
): Promise<E.Either<ApiError, KeyAnswer>> => {
  if (!isLookedUp(key_id)) return E.left(NO_KEY);
  const found = await keyById(read_model, key_id);
  return E.isRight(found) && found.right.team_ids.includes(team.id) ? found : E.left(NO_KEY);
};
