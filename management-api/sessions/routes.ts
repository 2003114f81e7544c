import type { Route, RouteGuards } from '../access/route-guards.ts';
import { listSessions } from './list-sessions.ts';
import type { SessionsParts } from './parts.ts';
import { revokeSession } from './revoke-session.ts';
import { signOut } from './sign-out.ts';

/** Of whoever is signed in: their own sessions alone. */
export const sessionsRoutes = (guards: RouteGuards, parts: SessionsParts): readonly Route[] => [
  guards.forSignedIn('GET', '/manage/v1/sessions', listSessions(parts)),
  guards.forSignedIn('POST', '/manage/v1/sessions/{id}/revoke', revokeSession(parts)),
  guards.forSignedIn('POST', '/manage/v1/sign-out', signOut(parts)),
];
