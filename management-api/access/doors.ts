import * as E from 'fp-ts/lib/Either.js';
import type { RateLimits, RateShare } from '../../platform/access/rate-limits.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import type { ApiRequest, Handler } from '../../platform/http-server/route.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isStoreFault } from '../../platform/read-store/store-faults.ts';
import type { ManagementPath, RouteMethod } from '../../schemas/http/routes.ts';
import { type CookieNames, tokenIn } from '../../schemas/http/session-cookie.ts';
import { freshFault } from './fresh.ts';
import type { People } from './people.ts';
import { isPerson, type Person, type SignedIn } from './person.ts';
import { crossSiteFault } from './same-origin.ts';

type Answer = Promise<E.Either<ApiError, Reply>>;

export type SignedInHandler = (request: ApiRequest, who: SignedIn) => Answer;
export type PersonHandler = (request: ApiRequest, person: Person) => Answer;

export type Route = { readonly method: RouteMethod; readonly path: ManagementPath; readonly handler: Handler };

/** Makes the routes of resources: what is checked before a handler is called, is checked here for all of them. */
export type Doors = {
  /** For users. Whoever is signed in without being one is answered 403. */
  readonly forPerson: (method: RouteMethod, path: ManagementPath, handler: PersonHandler) => Route;
  /** For users who showed lately who they are: keys and secrets. Others are answered 403, with where to do so. */
  readonly forFreshPerson: (method: RouteMethod, path: ManagementPath, handler: PersonHandler) => Route;
  /** For whoever has a session: also for somebody who is no user (yet). */
  readonly forSignedIn: (method: RouteMethod, path: ManagementPath, handler: SignedInHandler) => Route;
};

export type DoorParts = {
  readonly people: Pick<People, 'find'>;
  /** By the id of the session. */
  readonly limits: RateLimits;
  /** Whether the read models lack what was told before: then nobody is answered from them. */
  readonly isBehind: () => Promise<boolean>;
  readonly public_url: string;
  readonly cookies: CookieNames;
  /** How long a sign-in is fresh. */
  readonly fresh_ms: number;
  readonly clock: Pick<Clock, 'now'>;
};

const RETRY_AFTER_S = 1;

const SIGNED_OUT: ApiError = { tag: 'signed_out', message: 'nobody is signed in here, or the session has ended' };

const NO_USER: ApiError = {
  tag: 'forbidden',
  message:
    'whoever is signed in here is no user of this service: it takes an invitation, which an owner or admin makes',
};

const TOO_MANY: ApiError = {
  tag: 'unavailable',
  message: 'too many sessions are being checked; nothing happened, try again',
  retry_after_s: RETRY_AFTER_S,
};

const BEHIND: ApiError = {
  tag: 'unavailable',
  message: 'the service is restoring what it knows from its log; nothing happened, try again',
  retry_after_s: 5,
};

const AWAY: ApiError = {
  tag: 'unavailable',
  message: 'a server that is needed for this does not answer; nothing happened, try again',
  retry_after_s: RETRY_AFTER_S,
};

const rateLimited = ({ retry_after_s }: RateShare): ApiError => ({
  tag: 'rate_limited',
  message: `too many requests of this session; the next one may come in ${retry_after_s} s`,
  retry_after_s,
});

const ofPerson =
  (handler: PersonHandler): SignedInHandler =>
  async (request, who) =>
    isPerson(who) ? await handler(request, who) : E.left(NO_USER);

/** A handler may throw a fault of the store only where nothing has happened yet. */
export const openDoors = (parts: DoorParts): Doors => {
  const { people, limits, isBehind, public_url, cookies, fresh_ms, clock } = parts;
  const admit = async (request: ApiRequest): Promise<E.Either<ApiError, SignedIn>> => {
    const token = tokenIn(request.headers.cookie, cookies.session);
    if (token === null) return E.left(SIGNED_OUT);
    if (await isBehind()) return E.left(BEHIND);
    const who = await people.find(token);
    if (who === 'too_many') return E.left(TOO_MANY);
    if (who === undefined) return E.left(SIGNED_OUT);
    const rate = await limits(who.session.id);
    request.answerWith(rate.headers);
    return rate.allowed ? E.right(who) : E.left(rateLimited(rate));
  };

  const guarded =
    (method: RouteMethod, handler: SignedInHandler): Handler =>
    async (request) => {
      try {
        const fault = method === 'POST' ? crossSiteFault(request.headers, public_url) : null;
        if (fault !== null) return E.left(fault);
        const admitted = await admit(request);
        return E.isLeft(admitted) ? admitted : await handler(request, admitted.right);
      } catch (error) {
        if (!isStoreFault(error)) throw error;
        request.log().warn({ error }, 'a server behind does not answer');
        return E.left(AWAY);
      }
    };

  return {
    forSignedIn: (method, path, handler) => ({ method, path, handler: guarded(method, handler) }),
    forPerson: (method, path, handler) => ({ method, path, handler: guarded(method, ofPerson(handler)) }),
    forFreshPerson: (method, path, handler) => {
      const ofFresh: PersonHandler = async (request, person) => {
        const fault = freshFault(person.session, fresh_ms, clock.now());
        return fault === null ? await handler(request, person) : E.left(fault);
      };
      return { method, path, handler: guarded(method, ofPerson(ofFresh)) };
    },
  };
};
