import * as E from 'fp-ts/lib/Either.js';
import { type Account, isErased, type Team } from '../../domain/catalogue/entities.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { accountOfPerson, teamOfPerson } from '../../schemas/http/management/resources/person-resource.ts';
import type { SignedIn } from '../access/person.ts';
import type { SignedInHandler } from '../access/route-guards.ts';

type Source = Pick<CatalogueReadModel, 'entities' | 'teams'>;

/** Of each: whoever has more looks for them in the lists of teams and accounts. */
const MOST = 200;

const byName = (a: { readonly name: string; readonly id: string }, b: { readonly name: string; readonly id: string }) =>
  a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1);

/** Own teams, and all those of owned accounts. */
const teamsOf = async (read_model: Source, { roles, owned_accounts }: SignedIn): Promise<readonly Team[]> => {
  const own = await read_model.entities('team', [...roles.keys()].slice(0, MOST + 1));
  const owned = await Promise.all([...owned_accounts].slice(0, MOST).map((account_id) => read_model.teams(account_id)));
  return [...new Map([...own, ...owned.flat()].map((team) => [team.id, team])).values()].toSorted(byName);
};

const accountsOf = async (
  read_model: Source,
  { owned_accounts }: SignedIn,
  teams: readonly Team[],
): Promise<readonly Account[]> => {
  const ids = new Set([...owned_accounts, ...teams.map(({ account_id }) => account_id)]);
  return (await read_model.entities('account', [...ids].slice(0, MOST + 1))).toSorted(byName);
};

/** GET /manage/v1/me: who is signed in, and what they are and may do in which accounts and teams. */
export const getMe =
  (read_model: Source): SignedInHandler =>
  async (_request, who) => {
    const teams = await teamsOf(read_model, who);
    const all = await accountsOf(read_model, who, teams);
    const accounts = all.filter((account) => !isErased(account));
    const erased = new Set(all.filter(isErased).map(({ id }) => id));
    const { user_id, is_operator, roles, owned_accounts } = who;
    const body = {
      ...{ user_id, is_operator },
      accounts: accounts
        .slice(0, MOST)
        .map((account) => accountOfPerson(account, owned_accounts.has(account.id) ? 'owner' : 'member')),
      teams: teams
        .filter(({ account_id }) => !erased.has(account_id))
        .slice(0, MOST)
        .map((team) =>
          teamOfPerson(team, owned_accounts.has(team.account_id) ? 'owner' : (roles.get(team.id) ?? 'member')),
        ),
      has_more: teams.length > MOST || accounts.length > MOST,
    };
    return E.right({ status: 200, body });
  };
