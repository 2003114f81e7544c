type Team = { readonly id: string; readonly account_id: string; readonly admins: readonly string[] };
type Account = { readonly id: string; readonly owners: readonly string[] };

/**
 * The people who share roles with a user. Erased people are left out because they manage nothing. Erased accounts are
 * left out because they need no owner.
 */
export type SharedRoles = {
  /** The teams that the user is an admin of. */
  readonly teams: readonly Team[];
  /** The accounts that the user owns, and the accounts of the teams. */
  readonly accounts: readonly Account[];
};

/**
 * The accounts and teams that lose their last manager with a user. An account counts if the user is its only owner. A
 * team counts if the user is its only admin and its account has no owner. Owners have the admin role in all teams of
 * their account. The teams of a listed account are therefore left out: its next owner manages them.
 */
export const lastRoles = (user_id: string, { teams, accounts }: SharedRoles) => {
  const isLast = (people: readonly string[]): boolean =>
    people.length > 0 && people.every((person) => person === user_id);
  const ownerless = new Set(accounts.flatMap(({ id, owners }) => (owners.length === 0 ? [id] : [])));
  const unmanaged = teams.filter(({ account_id, admins }) => ownerless.has(account_id) && isLast(admins));
  const owned = accounts.filter(({ owners }) => isLast(owners));
  return { team_ids: unmanaged.map(({ id }) => id).toSorted(), account_ids: owned.map(({ id }) => id).toSorted() };
};
