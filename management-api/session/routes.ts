import type { Doors, Route } from '../access/doors.ts';
import { getSession } from './get-session.ts';

/** @param fresh_ms how long a sign-in is fresh */
export const sessionRoutes = (doors: Doors, fresh_ms: number): readonly Route[] => [
  doors.forSignedIn('GET', '/manage/v1/session', getSession(fresh_ms)),
];
