import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Session } from '../../read-models/sessions/sessions.ts';

const MS_PER_MINUTE = 60_000;

/** Why keys, secrets and what cannot be undone are not for this session now; null where the person showed lately who they are. */
export const freshFault = (
  { auth_time }: Pick<Session, 'auth_time'>,
  fresh_ms: number,
  now: number,
): ApiError | null => {
  if (auth_time !== null && now - auth_time <= fresh_ms) return null;
  const message = `this needs a sign-in of the last ${Math.ceil(fresh_ms / MS_PER_MINUTE)} minutes: sign in again`;
  return { tag: 'fresh_sign_in_needed', message };
};
