import type { Route, RouteGuards } from '../access/route-guards.ts';
import { getSession } from './get-session.ts';

/** @param fresh_ms how long a sign-in is fresh */
export const sessionRoutes = (guards: RouteGuards, fresh_ms: number): readonly Route[] => [
  guards.forSignedIn('GET', '/manage/v1/session', getSession(fresh_ms)),
];
