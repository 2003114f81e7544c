import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Session } from '../../read-models/sessions/sessions.ts';

const MS_PER_MINUTE = 60_000;

/** The refusal if the person's last sign-in is not recent enough; null if it is. */
export const freshSignInFault = (
  { auth_time }: Pick<Session, 'auth_time'>,
  fresh_ms: number,
  now: number,
): ApiError | null => {
  if (auth_time !== null && now - auth_time <= fresh_ms) return null;
  const message = `this requires a sign-in within the last ${Math.ceil(fresh_ms / MS_PER_MINUTE)} minutes: sign in again`;
  return { tag: 'fresh_sign_in_needed', message };
};
