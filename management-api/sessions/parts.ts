import type { Clock } from '../../platform/process/clock.ts';
import type { Session, Sessions } from '../../read-models/sessions/sessions.ts';
import type { CookieNames } from '../../schemas/http/session-cookie.ts';
import type { People } from '../access/people.ts';

export type SessionRouteDependencies = {
  readonly sessions: Sessions;
  readonly people: Pick<People, 'forget'>;
  readonly idle_ms: number;
  readonly fresh_ms: number;
  readonly public_url: string;
  readonly cookies: CookieNames;
  readonly clock: Clock;
};

/**
 * The ids that own the sessions of a person. Operators may have sessions from before their identity had a user, so both
 * ids own sessions.
 */
export const sessionOwnerIds = ({ owner, identity_id }: Pick<Session, 'owner' | 'identity_id'>): readonly string[] => [
  ...new Set([owner, identity_id]),
];
