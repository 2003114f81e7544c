import type { Role } from '../../../domain/catalogue/events.ts';

type Who = {
  readonly session: {
    readonly id: string;
    readonly created_at: number;
    readonly expires_at: number;
    readonly auth_time: number | null;
  };
  readonly user_id: string | null;
  readonly is_operator: boolean;
  readonly roles: ReadonlyMap<string, Role>;
  readonly owned_accounts: ReadonlySet<string>;
};

/** The session that asks. @param fresh_ms how long a sign-in is fresh */
export const currentSession = (who: Who, fresh_ms: number) => {
  const { id, created_at, expires_at, auth_time } = who.session;
  return {
    id,
    user_id: who.user_id,
    is_operator: who.is_operator,
    teams: Array.from(who.roles, ([team_id, role]) => ({ team_id, role })),
    owned_account_ids: [...who.owned_accounts],
    created_at,
    expires_at,
    fresh_until: auth_time === null ? null : auth_time + fresh_ms,
  };
};

/** One of somebody's sessions. @param current the id of the session that asks */
export const sessionResource = (
  session: {
    readonly id: string;
    readonly created_at: number;
    readonly last_used_at: number;
    readonly expires_at: number;
    readonly user_agent: string | null;
  },
  current: string,
) => {
  const { id, created_at, last_used_at, expires_at, user_agent } = session;
  return { id, is_current: id === current, user_agent, created_at, last_used_at, expires_at };
};
