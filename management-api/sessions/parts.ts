import type { Clock } from '../../platform/process/clock.ts';
import type { Session, Sessions } from '../../read-models/sessions/sessions.ts';
import type { CookieNames } from '../../schemas/http/session-cookie.ts';
import type { People } from '../access/people.ts';

/** What the routes of sessions need. */
export type SessionsParts = {
  readonly sessions: Sessions;
  readonly people: Pick<People, 'forget'>;
  readonly idle_ms: number;
  /** How long a sign-in is fresh. */
  readonly fresh_ms: number;
  readonly public_url: string;
  readonly cookies: CookieNames;
  readonly clock: Clock;
};

/** The owners of a person's sessions: the user, and the identity from before it had a user, as operators have. */
export const ownersOf = ({ owner, identity_id }: Pick<Session, 'owner' | 'identity_id'>): readonly string[] => [
  ...new Set([owner, identity_id]),
];
