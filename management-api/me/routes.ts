import type { Route, RouteGuards } from '../access/route-guards.ts';
import { type EraseOwnUserDependencies, eraseMe } from './erase.ts';
import { type GetMeDependencies, getMe } from './get-me.ts';

export const meRoutes = (
  guards: RouteGuards,
  parts: EraseOwnUserDependencies & GetMeDependencies,
): readonly Route[] => [
  guards.forSignedIn('GET', '/manage/v1/me', getMe(parts)),
  guards.forFreshPerson('POST', '/manage/v1/me/erase', eraseMe(parts)),
];
