import * as E from 'fp-ts/lib/Either.js';
import * as oidc from 'openid-client';
import type { Clock } from '../../platform/process/clock.ts';
import type { SignIn } from '../../read-models/sessions/sign-ins.ts';
import type { Profile } from '../../schemas/blobs/payloads.ts';
import type { SignInSettings } from './settings.ts';
import { statedProfile } from './stated-profile.ts';

export const CALLBACK_PATH = '/manage/v1/sign-in/callback';

export type ProviderIdentity = {
  readonly subject: string;
  readonly is_operator: boolean;
  /** Time of the sign-in at the provider, ms since the epoch; null if the provider does not state it. */
  readonly auth_time: number | null;
  readonly profile: Profile;
};

export type ProviderFault =
  /** The provider is unreachable or answers with a server error. */
  | { readonly tag: 'away'; readonly error: unknown }
  /** The provider refuses to sign the person in. */
  | { readonly tag: 'denied'; readonly error: unknown }
  /** The provider's answer does not belong to this sign-in. */
  | { readonly tag: 'invalid'; readonly error: unknown };

export type SignInStart = Pick<SignIn, 'nonce' | 'code_verifier' | 'is_fresh'> & { readonly state: string };

export type IdentityProvider = {
  readonly begin: (begun: SignInStart) => Promise<E.Either<ProviderFault, string>>;
  /**
   * Exchanges the code of a callback for claims.
   *
   * @param search query of the callback URL, with its question mark
   */
  readonly finish: (
    search: string,
    state: string,
    sign_in: SignIn,
  ) => Promise<E.Either<ProviderFault, ProviderIdentity>>;
};

const TIMEOUT_S = 10;
/** How long the provider's metadata is cached, because it may change. Unknown signing keys are fetched earlier. */
const KNOWN_MS = 3_600_000;
/** The accepted difference between the clocks of the provider and this machine. */
const SKEW_S = 60;
/** The maximum length of a subject in OpenID Connect. */
const LONGEST_SUBJECT = 255;
const MS_PER_S = 1_000;
const LONGEST_CODE = 64;

const SERVER_FAULT = 500;

/** Whether the provider answered with a server error that has no OAuth body. */
const isServerFault = (cause: unknown): boolean => cause instanceof Response && cause.status >= SERVER_FAULT;

const faultOf = (error: unknown): ProviderFault => {
  if (error instanceof oidc.AuthorizationResponseError) return { tag: 'denied', error };
  const is_away =
    (error instanceof TypeError && error.message === 'fetch failed') ||
    (error instanceof oidc.ResponseBodyError && error.status >= SERVER_FAULT) ||
    (error instanceof oidc.ClientError && (error.code === 'OAUTH_TIMEOUT' || isServerFault(error.cause)));
  return { tag: is_away ? 'away' : 'invalid', error };
};

/**
 * A text for the logs. The error object contains claims, codes and personal data, so this has only its messages and
 * OAuth's error code.
 */
export const faultText = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no error';
  const code = 'error' in error && typeof error.error === 'string' ? ` (${error.error.slice(0, LONGEST_CODE)})` : '';
  const why = error.cause instanceof Error ? `: ${faultText(error.cause)}` : '';
  return `${error.message}${code}${why}`;
};

const holds = (claim: unknown, value: string): boolean =>
  claim === value || (Array.isArray(claim) && claim.includes(value));

/**
 * @param lifetime_s maximum age of a session at the provider; each sign-in sends it, so that the provider states the
 * sign-in time
 */
export const openIdentityProvider = (settings: SignInSettings, lifetime_s: number, clock: Clock): IdentityProvider => {
  const { issuer, client_id, client_secret, scope, operator, public_url } = settings;
  const is_plain = issuer.startsWith('http:');
  let known: { readonly read_at: number; readonly configuration: Promise<oidc.Configuration> } | null = null;

  const configured = (): Promise<oidc.Configuration> => {
    const now = clock.monotonic();
    if (known !== null && now - known.read_at < KNOWN_MS) return known.configuration;
    const execute = [oidc.enableNonRepudiationChecks, ...(is_plain ? [oidc.allowInsecureRequests] : [])];
    const authentication = client_secret === undefined ? oidc.None() : oidc.ClientSecretPost(client_secret);
    const options = { execute, timeout: TIMEOUT_S };
    const configuration = oidc.discovery(new URL(issuer), client_id, {}, authentication, options);
    known = { read_at: now, configuration };
    configuration.catch(() => {
      known = null;
    });
    return configuration;
  };

  const claimedIn = (claims: oidc.IDToken | undefined, { is_fresh, created_at }: SignIn): ProviderIdentity => {
    if (claims === undefined) throw new Error('the answer has no ID token');
    // Compare exactly, because identities are hashes of the issuer and the subject.
    if (claims.iss !== issuer) throw new Error(`the ID token is from another issuer: ${claims.iss}`);
    if (claims.azp !== undefined && claims.azp !== client_id) throw new Error('the token is for another client');
    // A subject with a lone surrogate is refused: UTF-8 replaces each by the same character, so different subjects
    // would get one hash.
    if (claims.sub === '' || claims.sub.length > LONGEST_SUBJECT || !claims.sub.isWellFormed())
      throw new Error('the subject is not valid');
    const auth_time = typeof claims.auth_time === 'number' ? claims.auth_time * MS_PER_S : null;
    if (is_fresh && (auth_time === null || auth_time < created_at - SKEW_S * MS_PER_S))
      throw new Error('a fresh sign-in was requested, but auth_time is missing or too old');
    return {
      subject: claims.sub,
      is_operator: operator !== null && holds(claims[operator.claim], operator.value),
      // The provider's clock may be ahead. A time in the future would keep the sign-in fresh for too long.
      auth_time: auth_time === null ? null : Math.min(auth_time, clock.now()),
      profile: statedProfile(claims),
    };
  };

  return {
    begin: async ({ state, nonce, code_verifier, is_fresh }) => {
      try {
        const parameters = {
          ...{ redirect_uri: `${public_url}${CALLBACK_PATH}`, scope, state, nonce },
          ...{ code_challenge: await oidc.calculatePKCECodeChallenge(code_verifier), code_challenge_method: 'S256' },
          ...(is_fresh ? { prompt: 'login', max_age: '0' } : { max_age: String(lifetime_s) }),
        };
        return E.right(oidc.buildAuthorizationUrl(await configured(), parameters).href);
      } catch (error) {
        return E.left(faultOf(error));
      }
    },
    finish: async (search, state, sign_in) => {
      try {
        const tokens = await oidc.authorizationCodeGrant(
          await configured(),
          new URL(`${public_url}${CALLBACK_PATH}${search}`),
          {
            ...{ expectedState: state, expectedNonce: sign_in.nonce, pkceCodeVerifier: sign_in.code_verifier },
            idTokenExpected: true,
          },
        );
        return E.right(claimedIn(tokens.claims(), sign_in));
      } catch (error) {
        return E.left(faultOf(error));
      }
    },
  };
};
