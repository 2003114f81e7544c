type Key = {
  readonly id: string;
  readonly name: string;
  readonly account_id: string;
  readonly user_id: string | null;
  readonly team_ids: readonly string[];
  readonly prefix: string;
  readonly last4: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly replaced_by: string | null;
  readonly last_used_at: number | null;
};

const stateOf = ({ revoked_at, expires_at }: Key, now: number): 'active' | 'revoked' | 'expired' => {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now ? 'expired' : 'active';
};

/**
 * A key as the management interface shows it: never its secret.
 *
 * @param isSeen whether the reader has a part in a team: the others are counted alone
 * @param now ms since the epoch
 */
export const keyResource = (key: Key, isSeen: (team_id: string) => boolean, now: number) => {
  const team_ids = key.team_ids.filter(isSeen);
  return {
    id: key.id,
    name: key.name,
    kind: key.user_id === null ? 'service' : 'personal',
    state: stateOf(key, now),
    user_id: key.user_id,
    account_id: key.account_id,
    team_ids,
    other_teams: key.team_ids.length - team_ids.length,
    prefix: key.prefix,
    last4: key.last4,
    created_at: key.created_at,
    expires_at: key.expires_at,
    revoked_at: key.revoked_at,
    replaced_by: key.replaced_by,
    last_used_at: key.last_used_at,
  };
};
