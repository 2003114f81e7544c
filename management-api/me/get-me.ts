import * as E from 'fp-ts/lib/Either.js';
import { type Account, isErased, type Team } from '../../domain/catalogue/entities.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import {
  ACCOUNT_RIGHTS,
  MAX_MY_ACCOUNTS_OR_TEAMS,
  type Me,
  MyAccount,
  MyTeam,
  TEAM_RIGHTS,
} from '../../schemas/http/management/people.ts';
import type { SessionHolder } from '../access/person.ts';
import type { SignedInHandler } from '../access/route-guards.ts';
import type { ProfilesOf } from '../people/profiles.ts';

type Source = Pick<CatalogueReadModel, 'entities' | 'teams'>;

export type GetMeDependencies = { readonly read_model: Source; readonly profilesOf: ProfilesOf };

const byName = (a: { readonly name: string; readonly id: string }, b: { readonly name: string; readonly id: string }) =>
  a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1);

const teamsOf = async (read_model: Source, { roles, owned_accounts }: SessionHolder): Promise<readonly Team[]> => {
  const own = await read_model.entities('team', [...roles.keys()].slice(0, MAX_MY_ACCOUNTS_OR_TEAMS + 1));
  const owned = await Promise.all(
    [...owned_accounts].slice(0, MAX_MY_ACCOUNTS_OR_TEAMS).map((account_id) => read_model.teams(account_id)),
  );
  return [...new Map([...own, ...owned.flat()].map((team) => [team.id, team])).values()].toSorted(byName);
};

const accountsOf = async (
  read_model: Source,
  { owned_accounts }: SessionHolder,
  teams: readonly Team[],
): Promise<readonly Account[]> => {
  const ids = new Set([...owned_accounts, ...teams.map(({ account_id }) => account_id)]);
  return (await read_model.entities('account', [...ids].slice(0, MAX_MY_ACCOUNTS_OR_TEAMS + 1))).toSorted(byName);
};

export const getMe =
  ({ read_model, profilesOf }: GetMeDependencies): SignedInHandler =>
  async (_request, who) => {
    const teams = await teamsOf(read_model, who);
    const all = await accountsOf(read_model, who, teams);
    const accounts = all.filter((account) => !isErased(account));
    const erased = new Set(all.filter(isErased).map(({ id }) => id));
    const { user_id, is_operator, roles, owned_accounts } = who;
    const teamRole = ({ id, account_id }: Team) =>
      owned_accounts.has(account_id) ? 'owner' : (roles.get(id) ?? 'member');
    const profileOf = await profilesOf(user_id === null ? [] : [user_id]);
    const body: Me = {
      ...{ user_id, ...profileOf(user_id), is_operator },
      accounts: accounts.slice(0, MAX_MY_ACCOUNTS_OR_TEAMS).map((account) => {
        const role = owned_accounts.has(account.id) ? 'owner' : 'member';
        return MyAccount.encode({ ...account, role, may: ACCOUNT_RIGHTS[role] });
      }),
      teams: teams
        .filter(({ account_id }) => !erased.has(account_id))
        .slice(0, MAX_MY_ACCOUNTS_OR_TEAMS)
        .map((team) => MyTeam.encode({ ...team, role: teamRole(team), may: TEAM_RIGHTS[teamRole(team)] })),
      has_more: teams.length > MAX_MY_ACCOUNTS_OR_TEAMS || accounts.length > MAX_MY_ACCOUNTS_OR_TEAMS,
    };
    return E.right({ status: 200, body });
  };
