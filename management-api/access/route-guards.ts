import * as E from 'fp-ts/lib/Either.js';
import { ROLE_NEEDED } from '../../catalogue/api-errors/role-needed.ts';
import { READ_MODEL_BEHIND_ERROR, unavailableOnOutage } from '../../platform/access/away.ts';
import type { RateLimitState, RateLimits } from '../../platform/access/rate-limits.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import type { ApiRequest, Handler } from '../../platform/http-server/route.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { ManagementPath, PathGuardedBy } from '../../schemas/http/management/contract.ts';
import type { Guard } from '../../schemas/http/management/guard.ts';
import type { RouteMethod } from '../../schemas/http/openapi.ts';
import type { CookieNames } from '../../schemas/http/session-cookie.ts';
import { freshSignInFault } from './fresh.ts';
import type { People } from './people.ts';
import { isPerson, type Person, type SessionHolder } from './person.ts';
import {
  type AccountAccess,
  type AccountRole,
  findAccountAccess,
  findTeamAccess,
  type TeamAccess,
  type TeamRole,
} from './reach.ts';
import { browserFault, crossSiteFault, programFault } from './same-origin.ts';
import { type SessionCredential, sessionCredential } from './session-credential.ts';

type Answer = Promise<E.Either<ApiError, Reply>>;

export type SignedInHandler = (request: ApiRequest, who: SessionHolder) => Answer;
export type PersonHandler = (request: ApiRequest, person: Person) => Answer;

export type TeamHandler = (request: ApiRequest, at: TeamAccess) => Answer;
export type AccountHandler = (request: ApiRequest, at: AccountAccess) => Answer;

export type Route = { readonly method: RouteMethod; readonly path: ManagementPath; readonly handler: Handler };

type Guarded<G extends Guard, H> = <M extends RouteMethod>(method: M, path: PathGuardedBy<G, M>, handler: H) => Route;

/** Builds routes that check the session, the role and, for `fresh` guards, a recent sign-in, in this order. */
export type RouteGuards = {
  readonly forSignedIn: Guarded<'signed_in', SignedInHandler>;
  readonly forFreshPerson: Guarded<'fresh_person', PersonHandler>;
  /** For people with a role in the team. Others get 404, as for a missing team. */
  readonly forTeamMember: Guarded<'team_member', TeamHandler>;
  readonly forFreshTeamMember: Guarded<'fresh_team_member', TeamHandler>;
  /** For admins of the team and owners of its account. Other members get 403. */
  readonly forTeamAdmin: Guarded<'team_admin', TeamHandler>;
  readonly forFreshTeamAdmin: Guarded<'fresh_team_admin', TeamHandler>;
  readonly forAccountMember: Guarded<'account_member', AccountHandler>;
  readonly forAccountOwner: Guarded<'account_owner', AccountHandler>;
  readonly forFreshAccountOwner: Guarded<'fresh_account_owner', AccountHandler>;
  /** For operators, with or without a user. Others get 403. */
  readonly forOperator: Guarded<'operator', SignedInHandler>;
};

export type RouteGuardDependencies = {
  readonly people: Pick<People, 'find'>;
  readonly read_model: Pick<CatalogueReadModel, 'find'>;
  /** Rate limits, counted for each session id. */
  readonly limits: RateLimits;
  /** True if the read models are older than answers that the service already gave. Then every request gets 503. */
  readonly isBehind: () => Promise<boolean>;
  readonly public_url: string;
  readonly cookies: CookieNames;
  readonly fresh_ms: number;
  readonly clock: Pick<Clock, 'now'>;
};

const RETRY_AFTER_S = 1;

const SIGNED_OUT: ApiError = { tag: 'signed_out', message: 'you are not signed in, or your session has ended' };

const NO_USER: ApiError = {
  ...{ tag: 'forbidden', code: 'role_needed' },
  message: 'you are not a user of this service yet: ask an owner or admin for an invitation',
};

const NO_TEAM: ApiError = { tag: 'not_found', param: 'team_id', message: 'there is no such team' };
const NO_ACCOUNT: ApiError = { tag: 'not_found', param: 'account_id', message: 'there is no such account' };

const TOO_MANY: ApiError = {
  tag: 'unavailable',
  message: 'the service is busy; nothing was changed, try again',
  retry_after_s: RETRY_AFTER_S,
};

export const rateLimited = ({ retry_after_s }: RateLimitState): ApiError => ({
  tag: 'rate_limited',
  message: `too many requests in this session; try again in ${retry_after_s} s`,
  retry_after_s,
});

/** Cookies need a page of the service. Bearer tokens need a program, because a page never knows one. */
const originFault = (
  method: RouteMethod,
  { headers }: ApiRequest,
  credential: SessionCredential | null,
  public_url: string,
): ApiError | null => {
  if (credential?.kind === 'bearer') return method === 'POST' ? programFault(headers) : browserFault(headers);
  return method === 'POST' ? crossSiteFault(headers, public_url) : null;
};

const ofPerson =
  (handler: PersonHandler): SignedInHandler =>
  async (request, who) =>
    isPerson(who) ? await handler(request, who) : E.left(NO_USER);

/** A handler may throw a store fault only before it has changed anything, see {@link unavailableOnOutage}. */
export const openRouteGuards = (parts: RouteGuardDependencies): RouteGuards => {
  const { people, read_model, limits, isBehind, public_url, cookies, fresh_ms, clock } = parts;
  const admit = async (
    request: ApiRequest,
    credential: SessionCredential | null,
  ): Promise<E.Either<ApiError, SessionHolder>> => {
    if (credential === null) return E.left(SIGNED_OUT);
    if (await isBehind()) return E.left(READ_MODEL_BEHIND_ERROR);
    const who = await people.find(credential.token);
    if (who === 'too_many') return E.left(TOO_MANY);
    if (who === undefined) return E.left(SIGNED_OUT);
    const rate = await limits(who.session.id);
    request.answerWith(rate.headers);
    return rate.allowed ? E.right(who) : E.left(rateLimited(rate));
  };

  const guarded =
    (method: RouteMethod, handler: SignedInHandler): Handler =>
    (request) =>
      unavailableOnOutage(request, async () => {
        const credential = sessionCredential(request.headers, cookies);
        const fault = originFault(method, request, credential, public_url);
        if (fault !== null) return E.left(fault);
        const admitted = await admit(request, credential);
        return E.isLeft(admitted) ? admitted : await handler(request, admitted.right);
      });

  const inTeam =
    (is_for: (role: TeamRole) => boolean, handler: TeamHandler): PersonHandler =>
    async (request, person) => {
      const reached = await findTeamAccess(read_model, person, request.params.team_id ?? '');
      if (reached === null) return E.left(NO_TEAM);
      return is_for(reached.role) ? await handler(request, reached) : E.left(ROLE_NEEDED.admin_needed);
    };

  const inAccount =
    (is_for: (role: AccountRole) => boolean, handler: AccountHandler): PersonHandler =>
    async (request, person) => {
      const reached = await findAccountAccess(read_model, person, request.params.account_id ?? '');
      if (reached === null) return E.left(NO_ACCOUNT);
      return is_for(reached.role) ? await handler(request, reached) : E.left(ROLE_NEEDED.owner_needed);
    };

  const anyone = (): boolean => true;
  const isAdmin = (role: TeamRole): boolean => role !== 'member';
  const isOwner = (role: AccountRole): boolean => role === 'owner';
  const ofOperator =
    (handler: SignedInHandler): SignedInHandler =>
    async (request, who) =>
      who.is_operator ? await handler(request, who) : E.left(ROLE_NEEDED.operator_needed);

  const person = (method: RouteMethod, path: ManagementPath, handler: PersonHandler): Route => ({
    ...{ method, path },
    handler: guarded(method, ofPerson(handler)),
  });

  // Check the role first: a person without the role must not be asked to sign in again.
  const freshPerson =
    (handler: PersonHandler): PersonHandler =>
    async (request, who) => {
      const fault = freshSignInFault(who.session, fresh_ms, clock.now());
      return fault === null ? await handler(request, who) : E.left(fault);
    };

  const fresh =
    <At extends { readonly person: Person }>(handler: (request: ApiRequest, at: At) => Answer) =>
    (request: ApiRequest, at: At): Answer =>
      freshPerson(() => handler(request, at))(request, at.person);

  return {
    forSignedIn: (method, path, handler) => ({ method, path, handler: guarded(method, handler) }),
    forFreshPerson: (method, path, handler) => person(method, path, freshPerson(handler)),
    forTeamMember: (method, path, handler) => person(method, path, inTeam(anyone, handler)),
    forFreshTeamMember: (method, path, handler) => person(method, path, inTeam(anyone, fresh(handler))),
    forTeamAdmin: (method, path, handler) => person(method, path, inTeam(isAdmin, handler)),
    forFreshTeamAdmin: (method, path, handler) => person(method, path, inTeam(isAdmin, fresh(handler))),
    forAccountMember: (method, path, handler) => person(method, path, inAccount(anyone, handler)),
    forAccountOwner: (method, path, handler) => person(method, path, inAccount(isOwner, handler)),
    forFreshAccountOwner: (method, path, handler) => person(method, path, inAccount(isOwner, fresh(handler))),
    forOperator: (method, path, handler) => ({ method, path, handler: guarded(method, ofOperator(handler)) }),
  };
};
