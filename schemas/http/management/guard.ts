/** Guards whose name begins with `fresh_` require a sign-in at the provider within the last minutes. */
type FreshTeamGuard = 'fresh_team_member' | 'fresh_team_admin';
type FreshAccountGuard = 'fresh_account_owner';
type FreshOwnGuard = 'fresh_person';

/** The requirement of a route. `open` requires no session. `signed_in` requires a session, but no user. */
export type Guard =
  | ('open' | 'signed_in' | FreshOwnGuard)
  | ('team_member' | 'team_admin' | FreshTeamGuard)
  | ('account_member' | 'account_owner' | FreshAccountGuard)
  | 'operator';

/** Routes that erase or delete, change roles, or show a secret. */
type NeedsFreshSignIn =
  | `POST ${string}/${'erase' | 'delete' | 'leave'}`
  | `POST ${string}/${'members' | 'owners'}/${string}`
  | `POST ${string}/{${string}}/${'invitations' | 'keys' | 'endpoints'}`
  | `POST ${string}/${'rotate' | 'rotate-secret' | 'activate-secret'}`;

type TeamGuard<R> = R extends NeedsFreshSignIn ? FreshTeamGuard : Extract<Guard, `${string}team_${string}`>;
type AccountGuard<R> = R extends NeedsFreshSignIn ? FreshAccountGuard : Extract<Guard, `${string}account_${string}`>;
type OwnGuard<R> = R extends NeedsFreshSignIn ? FreshOwnGuard : 'open' | 'signed_in' | FreshOwnGuard;

export type GuardOf<R> = R extends `${string} /manage/v1/teams/{team_id}${string}`
  ? TeamGuard<R>
  : R extends `${string} /manage/v1/accounts/{account_id}${string}`
    ? AccountGuard<R>
    : R extends `${string} /manage/v1/operators/${string}`
      ? 'operator'
      : OwnGuard<R>;

export const needsFreshSignIn = (guard: Guard): boolean => guard.startsWith('fresh_');
