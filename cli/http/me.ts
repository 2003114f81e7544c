import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { CliFault } from '../fault.ts';
import { tableText } from '../table.ts';
import type { ApiAnswer, ApiClient, ApiResult } from './api-client.ts';
import type { SessionService } from './session-service.ts';

const MyTeam = t.type({ id: t.string, name: t.string, account_id: t.string, role: t.string });
export type MyTeam = t.TypeOf<typeof MyTeam>;

const Me = t.intersection([
  t.type({
    user_id: nullable(t.string),
    email: nullable(t.string),
    is_operator: t.boolean,
    accounts: t.readonlyArray(t.type({ id: t.string, name: t.string, role: t.string })),
    teams: t.readonlyArray(MyTeam),
  }),
  t.partial({ name: nullable(t.string) }),
]);
type Me = t.TypeOf<typeof Me>;

/** The person who is logged in, with the team that they chose. */
export type LoggedInPerson = Me & { readonly url: string; readonly team_id: string | null };

export const readMe = async (client: ApiClient): ApiResult<Me> =>
  E.map(({ body }: ApiAnswer<Me>) => body)(await client.send(Me, { path: '/manage/v1/me' }));

export const readPerson = async ({ client, team_id }: SessionService): ApiResult<LoggedInPerson> =>
  E.map((me: Me) => ({ ...me, url: client.address.base_url, team_id }))(await readMe(client));

export const personText = ({ url, user_id, name: person, email, ...rest }: LoggedInPerson): string => {
  const { is_operator, accounts, teams, team_id } = rest;
  return tableText(
    ['', 'id', ''],
    [
      ['service', url, 'session'],
      ['person', user_id ?? '-', [person, email, is_operator ? 'operator' : null].filter(Boolean).join(', ')],
      ...accounts.map(({ id, name, role }) => ['account', id, `${name}, ${role}`]),
      ...teams.map(({ id, name, role }) => ['team', id, `${name}, ${role}${id === team_id ? ', chosen' : ''}`]),
    ],
  );
};

/** The chosen team, if the person still has it, or their only team. */
export const defaultTeam = (teams: readonly MyTeam[], chosen: string | null): string | null => {
  if (teams.some(({ id }) => id === chosen)) return chosen;
  const [only, ...others] = teams;
  return others.length === 0 ? (only?.id ?? null) : null;
};

/** @param given the team of the command's option */
export const teamOfCommand = async (
  { client, team_id }: SessionService,
  given: string | undefined,
): Promise<E.Either<CliFault, string>> => {
  const known = given ?? team_id;
  if (known !== null) return E.right(known);
  const me = await readMe(client);
  if (E.isLeft(me)) return me;
  const { teams } = me.right;
  const only = defaultTeam(teams, null);
  return only === null
    ? E.left({ tag: 'no_team', teams: teams.map(({ id, name }) => `${id} ${name}`) })
    : E.right(only);
};
