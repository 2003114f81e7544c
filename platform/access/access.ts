import type { ApiKey, Membership, Team } from '../../domain/catalogue/entities.ts';
import type { Role } from '../../domain/catalogue/events.ts';

/** A team as the holder of a key sees it. `role` is the role of the key's user; null for a key without a user. */
export type ReachedTeam = Team & { readonly role: Role | null };

/** The identity behind a valid key, and the teams that it reaches. */
export type Access = {
  readonly key_id: string;
  readonly account_id: string;
  readonly user_id: string | null;
  /** By team id, in the order of the key. */
  readonly teams: ReadonlyMap<string, ReachedTeam>;
};

export const isInForce = (key: ApiKey, now_ms: number): boolean =>
  key.revoked_at === null && (key.expires_at === null || now_ms < key.expires_at);

/**
 * The existing teams of the key. If the key has a user, only teams with that user as a current member.
 * @param memberships of the key's user; ignored for a key without a user
 */
export const accessOf = (key: ApiKey, teams: readonly Team[], memberships: readonly Membership[]): Access => {
  const { id: key_id, account_id, user_id } = key;
  const reached = key.team_ids.flatMap((team_id): readonly (readonly [string, ReachedTeam])[] => {
    const team = teams.find(({ id }) => id === team_id);
    if (team === undefined) return [];
    if (user_id === null) return [[team_id, { ...team, role: null }]];
    const membership = memberships.find((m) => m.team_id === team_id && m.user_id === user_id && !m.removed);
    return membership === undefined ? [] : [[team_id, { ...team, role: membership.role }]];
  });
  return { key_id, account_id, user_id, teams: new Map(reached) };
};
