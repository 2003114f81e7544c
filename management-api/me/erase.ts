import * as E from 'fp-ts/lib/Either.js';
import { catalogueError } from '../../catalogue/api-errors/catalogue-error.ts';
import { eraseUser } from '../../catalogue/erasures.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { UserRequest } from '../../schemas/http/management/people.ts';
import type { CookieNames } from '../../schemas/http/session-cookie.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { setCookie } from '../access/cookies.ts';
import { decodeBody } from '../access/json-object.ts';
import type { PersonHandler } from '../access/route-guards.ts';

export type EraseOwnUserDependencies = RouteDependencies & {
  readonly public_url: string;
  readonly cookies: CookieNames;
};

const NOT_ONESELF: ApiError = {
  tag: 'invalid',
  code: 'invalid_field',
  param: 'user_id',
  message: 'user_id: must be your own user ID',
};

/** The answer lists at most this many names: a person may be the last owner or admin in hundreds of places. */
const MAX_NAMED = 5;

type StillLast = Extract<CatalogueFault, { readonly tag: 'still_last' }>;

/**
 * The refusal for a person who is the last owner or admin. It shows names instead of ids; the person may see them,
 * because the person has a role in all of them.
 */
const stillLast = async (
  { read_model }: RouteDependencies,
  { team_ids, account_ids }: StillLast,
): Promise<ApiError> => {
  const [teams, accounts] = await Promise.all([
    read_model.entities('team', team_ids.slice(0, MAX_NAMED)),
    read_model.entities('account', account_ids.slice(0, MAX_NAMED)),
  ]);
  const named = (some: readonly { readonly name: string }[], all: number): string => {
    const names = some.map(({ name }) => `"${name}"`).join(', ');
    return all > some.length ? `${names} and ${all - some.length} more` : names;
  };
  const stays = [
    ...(accounts.length === 0
      ? []
      : [
          `you are the last owner of the account ${named(accounts, account_ids.length)}: add another owner first, or erase the account`,
        ]),
    ...(teams.length === 0
      ? []
      : [
          `you are the last admin of the team ${named(teams, team_ids.length)}, whose account has no owner: make another member an admin first`,
        ]),
  ];
  return { tag: 'conflict', message: `${stays.join('; ')}; nothing was changed` };
};

/** Erases the signed-in user. Sessions are refused within a second. Roles and keys are removed after the answer. */
export const eraseMe =
  (parts: EraseOwnUserDependencies): PersonHandler =>
  async (request, person) => {
    const body = await decodeBody(request, UserRequest);
    if (E.isLeft(body)) return body;
    const { user_id } = person;
    if (body.right.user_id !== user_id) return E.left(NOT_ONESELF);
    const done = await eraseUser(catalogueWriterFor(parts, person), user_id);
    if (E.isLeft(done))
      return E.left(done.left.tag === 'still_last' ? await stillLast(parts, done.left) : catalogueError(done.left));
    const cookie = setCookie(parts.public_url, { name: parts.cookies.session, value: null, lasts_s: 0 });
    return E.right({ status: 200, body: { user_id, erased: true }, headers: { 'Set-Cookie': cookie } });
  };
