import type { Role } from '../../domain/catalogue/events.ts';
import type { Session } from '../../read-models/sessions/sessions.ts';

export type SessionHolder = {
  readonly session: Session;
  /** Null if no user is linked to the identity: an operator, or a guest with an invitation. */
  readonly user_id: string | null;
  readonly is_operator: boolean;
  readonly roles: ReadonlyMap<string, Role>;
  readonly owned_accounts: ReadonlySet<string>;
};

export type Person = SessionHolder & { readonly user_id: string };

export const isPerson = (who: SessionHolder): who is Person => who.user_id !== null;
