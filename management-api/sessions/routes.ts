import type { Doors, Route } from '../access/doors.ts';
import { listSessions } from './list-sessions.ts';
import type { SessionsParts } from './parts.ts';
import { revokeSession } from './revoke-session.ts';
import { signOut } from './sign-out.ts';

/** Of whoever is signed in: their own sessions alone. */
export const sessionsRoutes = (doors: Doors, parts: SessionsParts): readonly Route[] => [
  doors.forSignedIn('GET', '/manage/v1/sessions', listSessions(parts)),
  doors.forSignedIn('POST', '/manage/v1/sessions/{id}/revoke', revokeSession(parts)),
  doors.forSignedIn('POST', '/manage/v1/sign-out', signOut(parts)),
];
