import * as E from 'fp-ts/lib/Either.js';
import type { Request, Response, Server } from 'restify';
import { identityId } from '../../platform/access/identity-id.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isStoreFault } from '../../platform/read-store/store-faults.ts';
import { SIGN_IN_MS, type SignIns } from '../../read-models/sessions/sign-ins.ts';
import { type CookieNames, cookieToken } from '../../schemas/http/session-cookie.ts';
import { setCookie } from '../access/cookies.ts';
import { type BeginSession, newToken } from '../sessions/begin-session.ts';
import { type BrowserRedirect, sendRedirectOrError } from './browser-answers.ts';
import { CALLBACK_PATH, faultText, type IdentityProvider, type ProviderFault } from './provider.ts';
import { isReturnTarget } from './return-to.ts';

export type SignInRouteDependencies = {
  readonly provider: IdentityProvider;
  readonly sign_ins: SignIns;
  readonly beginSession: BeginSession;
  /** True if the read models are older than answers that the service already gave. Then sign-in is unavailable. */
  readonly isBehind: () => Promise<boolean>;
  readonly issuer: string;
  readonly identity_secret: string;
  readonly public_url: string;
  readonly cookies: CookieNames;
  readonly clock: Clock;
};

type Answer = Promise<E.Either<ApiError, BrowserRedirect>>;

const MS_PER_S = 1_000;
const LONGEST_USER_AGENT = 256;

export const unavailable = (message: string): ApiError => ({ tag: 'unavailable', message, retry_after_s: 5 });
const invalid = (message: string): ApiError => ({ tag: 'invalid', message });

const invalidParameter = (param: string, message: string): ApiError =>
  invalidInput({ code: 'invalid_parameter', param, message: `${param}: ${message}` });

const AWAY = unavailable('sign-in is unavailable now; try again');
export const BEHIND = unavailable('the service is restoring its data from the log; try again');
export const TOO_MANY = unavailable('too many sign-ins are in progress; try again in a few minutes');

/** One message for all causes, so that attackers learn nothing. */
const OVER = invalid(
  'this sign-in has expired, was already used, or was started in another browser or at another address: sign in again',
);

export const faultAnswer = ({ tag }: ProviderFault): ApiError => {
  switch (tag) {
    case 'away':
      return unavailable('the identity provider is unavailable; try again');
    case 'denied':
      return {
        tag: 'forbidden',
        message: 'the identity provider did not sign you in, or you cancelled: sign in again',
      };
    case 'invalid':
      return invalid('the response of the identity provider is not valid: sign in again');
  }
};

const queryOf = (request: Request): URLSearchParams => new URL(request.href()).searchParams;

export const userAgentOf = ({ headers }: Pick<Request, 'headers'>): string | null => {
  const text = headers['user-agent'];
  return text === undefined ? null : text.slice(0, LONGEST_USER_AGENT).toWellFormed();
};

/** GET /manage/v1/sign-in: redirects to the provider, and stores a sign-in that only this browser can finish. */
const begin =
  ({ provider, sign_ins, public_url, cookies, clock }: SignInRouteDependencies, tell: (fault: ProviderFault) => void) =>
  async (request: Request): Answer => {
    const query = queryOf(request);
    const return_to = query.get('return_to') ?? '/';
    const fresh = query.get('fresh');
    if (!isReturnTarget(return_to))
      return E.left(invalidParameter('return_to', 'must be a path of this service, like /renders?status=failed'));
    if (fresh !== null && fresh !== 'true') return E.left(invalidParameter('fresh', 'must be true or omitted'));
    const browser = cookieToken(request.headers.cookie, cookies.sign_in) ?? newToken();
    const begun = { nonce: newToken(), code_verifier: newToken(), is_fresh: fresh === 'true' };
    const state = newToken();
    const location = await provider.begin({ ...begun, state });
    if (E.isLeft(location)) {
      tell(location.left);
      return E.left(faultAnswer(location.left));
    }
    const sign_in = { ...begun, return_to, created_at: clock.now() };
    if (!(await sign_ins.begin(sha256Hex(state), sha256Hex(browser), sign_in))) return E.left(TOO_MANY);
    const cookie = { name: cookies.sign_in, value: browser, lasts_s: SIGN_IN_MS / MS_PER_S };
    return E.right({ location: location.right, set_cookies: [setCookie(public_url, cookie)] });
  };

/**
 * GET /manage/v1/sign-in/callback: the provider redirects here with a code. Begins a session and redirects to the
 * wanted page.
 */
const finish =
  (signing: SignInRouteDependencies, tell: (fault: ProviderFault) => void) =>
  async (request: Request): Answer => {
    const { provider, sign_ins, beginSession, isBehind, issuer, identity_secret, cookies, clock } = signing;
    const [state, ...others] = queryOf(request).getAll('state');
    const browser = cookieToken(request.headers.cookie, cookies.sign_in);
    if (state === undefined || others.length > 0 || browser === null) return E.left(OVER);
    if (await isBehind()) return E.left(BEHIND);
    const sign_in = await sign_ins.take(sha256Hex(state), sha256Hex(browser), clock.now());
    if (sign_in === null) return E.left(OVER);
    const claimed = await provider.finish(new URL(request.href()).search, state, sign_in);
    if (E.isLeft(claimed)) {
      tell(claimed.left);
      return E.left(faultAnswer(claimed.left));
    }
    const { subject, is_operator, auth_time, profile } = claimed.right;
    const identity_id = identityId(identity_secret, issuer, subject);
    const who = { identity_id, is_operator, auth_time, profile, user_agent: userAgentOf(request) };
    const session = await beginSession(who, cookieToken(request.headers.cookie, cookies.session));
    return E.right({ location: sign_in.return_to, set_cookies: [session] });
  };

/** Browsers open these routes as pages, so faults are shown as pages. */
export const addSignInRoutes = (server: Server, logger: Logger, signing: SignInRouteDependencies): void => {
  const tell = ({ tag, error }: ProviderFault): void =>
    logger[tag === 'denied' ? 'info' : 'warn']({ tag, reason: faultText(error) }, 'sign-in at the provider failed');
  const add = (path: string, handler: (request: Request) => Answer): void => {
    const answer = async (request: Request, response: Response): Promise<void> => {
      const led = await handler(request).catch((error: unknown) => {
        if (!isStoreFault(error)) throw error;
        logger.warn({ error }, 'sign-in failed because the store is unavailable');
        return E.left(AWAY);
      });
      sendRedirectOrError(request, response, led);
    };
    server.get(path, answer);
    server.head(path, answer);
  };
  add('/manage/v1/sign-in', begin(signing, tell));
  add(CALLBACK_PATH, finish(signing, tell));
};
