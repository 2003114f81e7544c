import * as E from 'fp-ts/lib/Either.js';
import { externalAddresses } from '../../platform/configuration/stack-addresses.ts';
import type { CliFault } from '../fault.ts';
import type { StackFile } from '../stack-file.ts';
import type { ServiceAddress } from './api-client.ts';
import type { LogIn } from './log-in-file.ts';

type Known = {
  readonly env: NodeJS.ProcessEnv;
  readonly stack: E.Either<CliFault, StackFile>;
  readonly log_in: LogIn | null;
};

/** A service at which a person is logged in. */
export type SessionAddress = { readonly base_url: string; readonly token: string; readonly team_id: string | null };

export type ServiceChoice = {
  /** Commands that work over the API and on the servers use the API. */
  readonly is_remote: boolean;
  /** For requests that a key and a person can make. A key comes first. */
  readonly address: E.Either<CliFault, ServiceAddress | SessionAddress>;
  /** For requests that only a person can make. */
  readonly session: E.Either<CliFault, SessionAddress>;
};

/** The base URL without its final slashes; null if it is not an address of the web. */
export const baseUrlOf = (text: string): string | null => {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return null;
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
};

const isSame = (one: string, other: string): boolean => baseUrlOf(one) === baseUrlOf(other);

/** A key in the environment overrides the log-in. */
const sessionOf = (url: string, api_key: string | undefined, log_in: LogIn | null): ServiceChoice['session'] => {
  const session = api_key === undefined && log_in !== null && isSame(log_in.url, url) ? log_in.session : undefined;
  if (session === undefined) return E.left({ tag: 'session_needed', url });
  return E.right({ base_url: baseUrlOf(url) ?? url, token: session.token, team_id: session.team_id ?? null });
};

const API_KEY = /^[\x21-\x7e]{1,500}$/;

/** Whether the text can be an API key. Other characters cannot be sent. */
export const isPossibleKey = (text: string): boolean => API_KEY.test(text);

const withKey = (base_url: string, api_key: string): ServiceChoice['address'] =>
  isPossibleKey(api_key)
    ? E.right({ base_url, api_key, key_from: 'environment' })
    : E.left({ tag: 'usage', message: 'RENDERCTL_API_KEY is not an API key: it has spaces or other characters' });

const fromUrl = (url: string, api_key: string | undefined, log_in: LogIn | null): ServiceChoice['address'] => {
  const base_url = baseUrlOf(url);
  if (base_url === null)
    return E.left({ tag: 'usage', message: 'RENDERCTL_URL must be an address like https://video.example.com' });
  if (api_key !== undefined) return withKey(base_url, api_key);
  return log_in !== null && isSame(log_in.url, base_url)
    ? fromLogIn({ ...log_in, url: base_url }, undefined)
    : E.left({ tag: 'not_logged_in', url: base_url });
};

const fromLogIn = (log_in: LogIn, api_key: string | undefined): ServiceChoice['address'] => {
  const base_url = log_in.url;
  if (api_key !== undefined) return withKey(base_url, api_key);
  return log_in.api_key === undefined
    ? sessionOf(base_url, api_key, log_in)
    : E.right({ base_url, api_key: log_in.api_key, key_from: 'log_in' });
};

/**
 * The first that is present decides: `RENDERCTL_URL`; addresses of servers in the environment, or a running stack;
 * `RENDERCTL_BASE_URL`; a log-in. So a log-in never changes commands where the servers can be reached.
 */
export const chooseService = ({ env, stack, log_in }: Known): ServiceChoice => {
  // An empty value counts as not set.
  const url = env.RENDERCTL_URL || undefined;
  const base_url = env.RENDERCTL_BASE_URL || undefined;
  const api_key = env.RENDERCTL_API_KEY?.trim() || undefined;
  if (url !== undefined)
    return { is_remote: true, address: fromUrl(url, api_key, log_in), session: sessionOf(url, api_key, log_in) };
  const has_stack = E.isRight(stack) || stack.left.tag !== 'no_stack';
  const has_servers = has_stack || externalAddresses(env).length > 0;
  if (base_url !== undefined) {
    const address: ServiceChoice['address'] =
      api_key === undefined ? E.left({ tag: 'no_api_key' }) : withKey(base_url, api_key);
    return { is_remote: !has_servers, address, session: sessionOf(base_url, api_key, log_in) };
  }
  if (!has_servers && log_in !== null) {
    const session = sessionOf(log_in.url, api_key, log_in);
    return { is_remote: true, address: fromLogIn(log_in, api_key), session };
  }
  if (E.isLeft(stack)) return { is_remote: false, address: stack, session: stack };
  const { base_url: at, api_key: own } = stack.right;
  const session = sessionOf(at, api_key, log_in);
  if (api_key !== undefined) return { is_remote: false, address: withKey(at, api_key), session };
  const address: ServiceChoice['address'] =
    own === undefined ? E.left({ tag: 'no_api_key' }) : E.right({ base_url: at, api_key: own, key_from: 'stack' });
  return { is_remote: false, address, session };
};
