import * as E from 'fp-ts/lib/Either.js';
import * as oidc from 'openid-client';
import type { Clock } from '../../platform/process/clock.ts';
import type { SignIn } from '../../read-models/sessions/sign-ins.ts';
import type { SignInSettings } from './settings.ts';

/** Where the provider leads back to, below the public URL. */
export const CALLBACK = '/manage/v1/sign-in/callback';

/** Whom the provider says that it is. */
export type Claimed = {
  readonly subject: string;
  readonly is_operator: boolean;
  /** When they showed the provider who they are, ms since the epoch; null where it does not say. */
  readonly auth_time: number | null;
};

export type ProviderFault =
  /** It does not answer, or not as a provider does. */
  | { readonly tag: 'away'; readonly error: unknown }
  /** It does not sign the person in. */
  | { readonly tag: 'denied'; readonly error: unknown }
  /** Its answer is not one to this sign-in. */
  | { readonly tag: 'invalid'; readonly error: unknown };

export type Begun = Pick<SignIn, 'nonce' | 'code_verifier' | 'is_fresh'> & { readonly state: string };

export type Provider = {
  /** The address to send the browser to. */
  readonly begin: (begun: Begun) => Promise<E.Either<ProviderFault, string>>;
  /** Trades the code of a callback for who it is. @param search of the callback's address, with its question mark */
  readonly finish: (search: string, state: string, sign_in: SignIn) => Promise<E.Either<ProviderFault, Claimed>>;
};

const TIMEOUT_S = 10;
/** Addresses and keys of a provider may change; its keys are also asked for when one is not known. */
const KNOWN_MS = 3_600_000;
/** Clocks of the provider and of this machine. */
const SKEW_S = 60;
/** Of OpenID Connect. */
const LONGEST_SUBJECT = 255;
const MS_PER_S = 1_000;
const LONGEST_CODE = 64;

const SERVER_FAULT = 500;

/** An answer in no form of OAuth's. */
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
 * The reason for the log: messages of the library and the network, and OAuth's error code. Never the error itself, which
 * holds claims, codes and data of a person.
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
 * @param lifetime_s how old a session at the provider may be; with that asked, it says when people showed who they are
 */
export const openProvider = (settings: SignInSettings, lifetime_s: number, clock: Clock): Provider => {
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

  const claimedIn = (claims: oidc.IDToken | undefined, { is_fresh, created_at }: SignIn): Claimed => {
    if (claims === undefined) throw new Error('there is no ID token');
    // Letter by letter: what hashes of identities are made of.
    if (claims.iss !== issuer) throw new Error(`the issuer calls itself ${claims.iss}`);
    if (claims.azp !== undefined && claims.azp !== client_id) throw new Error('the token is for another client');
    // Halves of characters would all be hashed alike, as if they were one person's.
    if (claims.sub === '' || claims.sub.length > LONGEST_SUBJECT || !claims.sub.isWellFormed())
      throw new Error('the subject is not valid');
    const auth_time = typeof claims.auth_time === 'number' ? claims.auth_time * MS_PER_S : null;
    if (is_fresh && (auth_time === null || auth_time < created_at - SKEW_S * MS_PER_S))
      throw new Error('a fresh sign-in was asked for, and auth_time does not say that it is one');
    return {
      subject: claims.sub,
      is_operator: operator !== null && holds(claims[operator.claim], operator.value),
      // A clock that is ahead makes no sign-in fresher.
      auth_time: auth_time === null ? null : Math.min(auth_time, clock.now()),
    };
  };

  return {
    begin: async ({ state, nonce, code_verifier, is_fresh }) => {
      try {
        const parameters = {
          ...{ redirect_uri: `${public_url}${CALLBACK}`, scope, state, nonce },
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
          new URL(`${public_url}${CALLBACK}${search}`),
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
