import { type Account, accountMemberId, isErased, type Team } from '../../domain/catalogue/entities.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { Person } from './person.ts';

export type TeamRole = 'owner' | 'admin' | 'member';
export type AccountRole = 'owner' | 'member';

/** A team in which the person has a role. Owners of the team's account have the role `owner` in it. */
export type TeamAccess = { readonly person: Person; readonly team: Team; readonly role: TeamRole };

/** An account that the person owns, or in which the person has a team. */
export type AccountAccess = { readonly person: Person; readonly account: Account; readonly role: AccountRole };

type Source = Pick<CatalogueReadModel, 'find'>;

const LONGEST_ID = 128;

export const isPossibleId = (id: string): boolean => id !== '' && id.length <= LONGEST_ID;

const roleIn = ({ roles, owned_accounts }: Person, { id, account_id }: Team): TeamRole | null =>
  owned_accounts.has(account_id) ? 'owner' : (roles.get(id) ?? null);

export const findTeamAccess = async (
  read_model: Source,
  person: Person,
  team_id: string,
): Promise<TeamAccess | null> => {
  if (!isPossibleId(team_id)) return null;
  const team = await read_model.find('team', team_id);
  const role = team === null ? null : roleIn(person, team);
  if (team === null || role === null) return null;
  // An erased account counts as missing: its members are removed only later, so the person may still have a role.
  return isErased(await read_model.find('account', team.account_id)) ? null : { person, team, role };
};

const roleOf = async (read_model: Source, person: Person, account_id: string): Promise<AccountRole | null> => {
  if (person.owned_accounts.has(account_id)) return 'owner';
  const known = await read_model.find('account_member', accountMemberId(account_id, person.user_id));
  // Compares both ids again: ids from before the naming rules may contain the separator, so two pairs can have one id.
  const is_theirs = known?.account_id === account_id && known.user_id === person.user_id;
  return is_theirs && known.teams > 0 ? 'member' : null;
};

export const findAccountAccess = async (
  read_model: Source,
  person: Person,
  account_id: string,
): Promise<AccountAccess | null> => {
  if (!isPossibleId(account_id)) return null;
  const role = await roleOf(read_model, person, account_id);
  const account = role === null ? null : await read_model.find('account', account_id);
  return account === null || role === null || isErased(account) ? null : { person, account, role };
};
