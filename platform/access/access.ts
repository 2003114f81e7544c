import { knownScopes, type Scope } from '../../domain/access/scopes.ts';
import type { ApiKey, Membership, Team } from '../../domain/catalogue/entities.ts';
import type { Role } from '../../domain/catalogue/events.ts';

/** `role` is the role of the key's user in the team; null for a key without a user. */
export type AccessibleTeam = Team & { readonly role: Role | null };

export type Access = {
  readonly key_id: string;
  readonly account_id: string;
  readonly user_id: string | null;
  readonly teams: ReadonlyMap<string, AccessibleTeam>;
  readonly scopes: readonly Scope[];
};

export const isKeyActive = (key: ApiKey, now_ms: number): boolean =>
  key.revoked_at === null && (key.expires_at === null || now_ms < key.expires_at);

/** Omits teams that no longer exist, and teams of which the key's user is not a member. */
export const accessOf = (key: ApiKey, teams: readonly Team[], memberships: readonly Membership[]): Access => {
  const { id: key_id, account_id, user_id } = key;
  const reached = key.team_ids.flatMap((team_id): readonly (readonly [string, AccessibleTeam])[] => {
    const team = teams.find(({ id }) => id === team_id);
    if (team === undefined) return [];
    if (user_id === null) return [[team_id, { ...team, role: null }]];
    const membership = memberships.find((m) => m.team_id === team_id && m.user_id === user_id && !m.removed);
    return membership === undefined ? [] : [[team_id, { ...team, role: membership.role }]];
  });
  return { key_id, account_id, user_id, teams: new Map(reached), scopes: knownScopes(key) };
};
