import * as E from 'fp-ts/lib/Either.js';
import type { KeyView } from '../../catalogue/answers.ts';
import { keyById } from '../../catalogue/keys.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { ApiKey } from '../../schemas/http/management/keys.ts';
import type { RouteDependencies } from '../access/commands.ts';
import { isPossibleId, type TeamAccess } from '../access/reach.ts';

const stateOf = ({ revoked_at, expires_at }: KeyView, now: number): ApiKey['state'] => {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now ? 'expired' : 'active';
};

/**
 * The key as this person may see it. Teams that the person cannot see are only counted.
 *
 * @param now ms since the epoch
 */
export const keyResourceFor = ({ person, team }: TeamAccess, key: KeyView, now: number): ApiKey => {
  const owns = person.owned_accounts.has(key.account_id);
  const team_ids = key.team_ids.filter((team_id) => owns || team_id === team.id || person.roles.has(team_id));
  return {
    id: key.id,
    name: key.name,
    kind: key.user_id === null ? 'service' : 'personal',
    state: stateOf(key, now),
    user_id: key.user_id,
    account_id: key.account_id,
    team_ids,
    other_teams: key.team_ids.length - team_ids.length,
    prefix: key.prefix,
    last4: key.last4,
    created_at: key.created_at,
    expires_at: key.expires_at,
    revoked_at: key.revoked_at,
    replaced_by: key.replaced_by,
    scopes: [...key.scopes],
    last_used_at: key.last_used_at,
  };
};

const NO_KEY: ApiError = { tag: 'not_found', param: 'key_id', message: 'there is no such API key' };

/** Finds a key of the team. Keys of other teams are answered as missing. */
export const findTeamKey = async (
  { read_model }: Pick<RouteDependencies, 'read_model'>,
  { team }: TeamAccess,
  key_id: string,
): Promise<E.Either<ApiError, KeyView>> => {
  if (!isPossibleId(key_id)) return E.left(NO_KEY);
  const found = await keyById(read_model, key_id);
  return E.isRight(found) && found.right.team_ids.includes(team.id) ? found : E.left(NO_KEY);
};
