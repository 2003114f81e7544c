import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../http-server/api-error.ts';
import type { Access, AccessibleTeam } from './access.ts';

const required = (why: string): E.Either<ApiError, never> =>
  E.left({
    ...{ tag: 'invalid', code: 'invalid_parameter', param: 'team_id' },
    message: `team_id: is required, as ${why}`,
  });

/** The named team, or the only team of the key. */
export const teamOfKey = (
  team_id: string | null,
  { teams }: Pick<Access, 'teams'>,
): E.Either<ApiError, AccessibleTeam> => {
  if (team_id !== null) {
    const named = teams.get(team_id);
    return named === undefined
      ? E.left({ tag: 'not_found', param: 'team_id', message: 'there is no such team' })
      : E.right(named);
  }
  const [only, ...others] = teams.values();
  if (only === undefined) return required('this key reaches no team');
  if (others.length === 0) return E.right(only);
  const ids = [...teams.keys()].join(', ');
  return required(`this key reaches several teams: ${ids}`);
};
