/** A team and its admins, an account and its owners. */
type Team = { readonly id: string; readonly account_id: string; readonly admins: readonly string[] };
type Account = { readonly id: string; readonly owners: readonly string[] };

/** With whom a user shares roles. Who or what is erased is left out: erased people manage nothing, erased accounts need nobody. */
export type SharedRoles = {
  /** Those that the user is an admin of. */
  readonly teams: readonly Team[];
  /** Those that the user owns, and those of the teams. */
  readonly accounts: readonly Account[];
};

/**
 * What nobody would manage without a user: accounts of which they are the last owner, and teams of which they are the last
 * admin and whose account nobody owns. Owners may do in all of its teams what admins may, and so does the next owner of an
 * account that is named here: its teams are not.
 */
export const lastRoles = (user_id: string, { teams, accounts }: SharedRoles) => {
  const isLast = (people: readonly string[]): boolean =>
    people.length > 0 && people.every((person) => person === user_id);
  const ownerless = new Set(accounts.flatMap(({ id, owners }) => (owners.length === 0 ? [id] : [])));
  const unmanaged = teams.filter(({ account_id, admins }) => ownerless.has(account_id) && isLast(admins));
  const owned = accounts.filter(({ owners }) => isLast(owners));
  return { team_ids: unmanaged.map(({ id }) => id).toSorted(), account_ids: owned.map(({ id }) => id).toSorted() };
};
