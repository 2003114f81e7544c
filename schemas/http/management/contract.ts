import type { RouteMethod } from '../openapi.ts';
import { CHECK_BATCHES } from './check-batches.ts';
import { DELIVERIES } from './deliveries.ts';
import { DEVICE_SIGN_INS } from './device-sign-ins.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { Guard } from './guard.ts';
import { KEYS } from './keys.ts';
import { OPERATORS } from './operators.ts';
import { PEOPLE } from './people.ts';
import { PROJECTS } from './projects.ts';
import { RENDER_BATCHES } from './render-batches.ts';
import { RENDERS } from './renders.ts';
import { REPORTS } from './reports.ts';
import { SESSIONS } from './sessions.ts';
import { TEAMS } from './teams.ts';
import { UPLOADS } from './uploads.ts';

/** All operations. The OpenAPI document lists them in this order. */
export const MANAGEMENT = {
  ...{
    ...SESSIONS,
    ...DEVICE_SIGN_INS,
    ...PEOPLE,
    ...TEAMS,
    ...PROJECTS,
    ...CHECK_BATCHES,
    ...UPLOADS,
    ...RENDER_BATCHES,
    ...RENDERS,
    ...REPORTS,
  },
  ...{ ...OPERATORS, ...KEYS, ...ENDPOINTS, ...DELIVERIES },
};

const DOCUMENT = 'GET /manage/v1/openapi.json';

type Operations = typeof MANAGEMENT;

export type ManagementRoute = keyof Operations | typeof DOCUMENT;

type PathOf<R> = R extends `${string} ${infer P}` ? P : never;

export type ManagementPath = PathOf<ManagementRoute>;

type GuardIn<R> = R extends keyof Operations ? Operations[R]['guard'] : 'open';

/**
 * The guard of each route. Routes that revoke or disable require no recent sign-in, so that a leak can be stopped at
 * once.
 */
export const GUARDS = Object.fromEntries([
  [DOCUMENT, 'open'],
  ...Object.entries(MANAGEMENT).map(([route, { guard }]) => [route, guard]),
]) as { readonly [R in ManagementRoute]: GuardIn<R> };

export type PathGuardedBy<G extends Guard, M extends RouteMethod> = {
  [R in ManagementRoute]: R extends `${M} ${infer P}` ? (GuardIn<R> extends G ? P : never) : never;
}[ManagementRoute];
