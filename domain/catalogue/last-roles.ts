type Team = { readonly id: string; readonly account_id: string; readonly admins: readonly string[] };
type Account = { readonly id: string; readonly owners: readonly string[] };

/**
 * The managers of teams and accounts. Erased people are omitted, because they manage nothing. Erased accounts are
 * omitted, because they need no owner.
 */
export type ManagedEntities = {
  readonly teams: readonly Team[];
  /** The accounts that the user owns, and the accounts of `teams`. */
  readonly accounts: readonly Account[];
};

/**
 * The accounts and teams that have no other manager than the user. An owner manages all teams of the account, so the
 * teams of a listed account are not listed: its next owner manages them.
 */
export const findLastManagerRoles = (user_id: string, { teams, accounts }: ManagedEntities) => {
  const isLast = (people: readonly string[]): boolean =>
    people.length > 0 && people.every((person) => person === user_id);
  const ownerless = new Set(accounts.flatMap(({ id, owners }) => (owners.length === 0 ? [id] : [])));
  const unmanaged = teams.filter(({ account_id, admins }) => ownerless.has(account_id) && isLast(admins));
  const owned = accounts.filter(({ owners }) => isLast(owners));
  return { team_ids: unmanaged.map(({ id }) => id).toSorted(), account_ids: owned.map(({ id }) => id).toSorted() };
};
