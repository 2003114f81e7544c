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

/** The provider has no device flow (RFC 8628), or does not allow it to this client. */
export type DeviceFault = ProviderFault | { readonly tag: 'unsupported'; readonly error: unknown };

/** The code and the page for the person, and the secret with which the program asks for the result. */
export type DeviceAuthorization = {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly expires_in_s: number;
  readonly interval_s: number;
};

export type DeviceOutcome =
  | { readonly tag: 'pending' }
  | { readonly tag: 'slow_down' }
  | { readonly tag: 'expired' }
  | { readonly tag: 'signed_in'; readonly identity: ProviderIdentity };

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
  readonly beginDevice: () => Promise<E.Either<DeviceFault, DeviceAuthorization>>;
  /** Asks once whether the person has approved. The provider accepts the code of an approved sign-in only once. */
  readonly pollDevice: (device_code: string) => Promise<E.Either<ProviderFault, DeviceOutcome>>;
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

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** The longest device code of a request, in characters. */
export const MAX_DEVICE_CODE = 2_048;
const MAX_USER_CODE = 64;
const MAX_URL = 2_048;
/** RFC 8628, section 3.2. */
const DEFAULT_INTERVAL_S = 5;
const MAX_INTERVAL_S = 60;
const MAX_EXPIRES_IN_S = 600;

const oauthCode = (error: unknown): string | null => (error instanceof oidc.ResponseBodyError ? error.error : null);

const deviceFault = (error: unknown): DeviceFault =>
  ['unauthorized_client', 'unsupported_grant_type', 'invalid_client'].includes(oauthCode(error) ?? '')
    ? { tag: 'unsupported', error }
    : faultOf(error);

const isPage = (address: string): boolean => /^https?:$/.test(URL.parse(address)?.protocol ?? '');

/** Throws if the answer is too large for a program, or leads to no page. */
const deviceAuthorization = (answer: oidc.DeviceAuthorizationResponse): DeviceAuthorization => {
  const { device_code, user_code, verification_uri, expires_in, interval } = answer;
  if (device_code.length > MAX_DEVICE_CODE || user_code.length > MAX_USER_CODE)
    throw new Error('the codes of the device flow are too long');
  if (verification_uri.length > MAX_URL || !isPage(verification_uri))
    throw new Error('verification_uri is not an address of the web');
  return {
    ...{ device_code, user_code, verification_uri },
    expires_in_s: Math.floor(Math.min(MAX_EXPIRES_IN_S, expires_in)),
    interval_s: Math.ceil(Math.min(MAX_INTERVAL_S, Math.max(1, interval ?? DEFAULT_INTERVAL_S))),
  };
};

/** The outcome that an error of the token endpoint means; null for a fault. */
const deviceOutcome = (error: unknown): DeviceOutcome | null => {
  switch (oauthCode(error)) {
    case 'authorization_pending':
      return { tag: 'pending' };
    case 'slow_down':
      return { tag: 'slow_down' };
    case 'expired_token':
    case 'invalid_grant':
      return { tag: 'expired' };
    default:
      return null;
  }
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

  const claimedIn = (
    claims: oidc.IDToken | undefined,
    { is_fresh, created_at }: Pick<SignIn, 'is_fresh' | 'created_at'>,
  ): ProviderIdentity => {
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
    beginDevice: async () => {
      try {
        const configuration = await configured();
        if (configuration.serverMetadata().device_authorization_endpoint === undefined)
          return E.left({ tag: 'unsupported', error: new Error('there is no device_authorization_endpoint') });
        // Providers that know these parameters ask the person to sign in again, and state the time.
        const parameters = { scope, prompt: 'login', max_age: '0' };
        return E.right(deviceAuthorization(await oidc.initiateDeviceAuthorization(configuration, parameters)));
      } catch (error) {
        return E.left(deviceFault(error));
      }
    },
    pollDevice: async (device_code) => {
      try {
        const tokens = await oidc.genericGrantRequest(await configured(), DEVICE_GRANT, { device_code });
        const identity = claimedIn(tokens.claims(), { is_fresh: false, created_at: 0 });
        return E.right({ tag: 'signed_in', identity });
      } catch (error) {
        const outcome = deviceOutcome(error);
        if (outcome !== null) return E.right(outcome);
        return E.left(oauthCode(error) === 'access_denied' ? { tag: 'denied', error } : faultOf(error));
      }
    },
  };
};
