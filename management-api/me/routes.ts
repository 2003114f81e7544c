import type { Doors, Route } from '../access/doors.ts';
import { type ErasingOneself, eraseMe } from './erase.ts';
import { getMe } from './get-me.ts';

export const meRoutes = (doors: Doors, parts: ErasingOneself): readonly Route[] => [
  doors.forSignedIn('GET', '/manage/v1/me', getMe(parts.read_model)),
  doors.forFreshPerson('POST', '/manage/v1/me/erase', eraseMe(parts)),
];
