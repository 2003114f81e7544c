import type { Role } from '../../domain/catalogue/events.ts';
import type { Session } from '../../read-models/sessions/sessions.ts';

/** Whoever has a session, as things stand now. */
export type SignedIn = {
  readonly session: Session;
  /** Null for whom no user is known by this identity: an operator, or somebody with an invitation. */
  readonly user_id: string | null;
  readonly is_operator: boolean;
  /** The user's teams, by id. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Ids of the accounts that the user owns. */
  readonly owned_accounts: ReadonlySet<string>;
};

/** A user who is signed in. */
export type Person = SignedIn & { readonly user_id: string };

export const isPerson = (who: SignedIn): who is Person => who.user_id !== null;
