import { join } from 'node:path';
import type { Server } from '../servers/server.ts';
import { ROOT, requireTool } from '../servers/tools.ts';
import { OPERATORS } from './people.ts';

const CLIENT = 'video-rendering';
const SIGN_IN = '/manage/v1/sign-in';
const TO_DASHBOARD = '?return_to=/dashboard/';

/** Starts a sign-in that returns to the dashboard. */
export const signInUrl = (public_url: string): string => `${public_url}${SIGN_IN}${TO_DASHBOARD}`;

/**
 * An OpenID Connect provider with demo users.
 *
 * @param options.public_url the service's URL for browsers
 */
export const providerServer = (options: {
  readonly port: number;
  readonly public_url: string;
  readonly client_secret: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}): Server => {
  const { port, public_url, client_secret, folder, env } = options;
  const issuer = `http://127.0.0.1:${port}`;
  const { hostname } = new URL(public_url);
  const origin = hostname.endsWith('.localhost') ? `http://sign-in.${hostname}:${port}` : issuer;
  return {
    prepare: async () => {
      requireTool(join(ROOT, 'node_modules', 'oidc-provider', 'package.json'));
    },
    process: {
      name: 'provider',
      command: process.execPath,
      args: [
        join(ROOT, 'stack', 'provider', 'main.ts'),
        ...['--port', String(port), '--client', CLIENT, '--origin', origin],
        ...['--redirect', `${public_url}${SIGN_IN}/callback`, '--sign-in', signInUrl(public_url)],
      ],
      cwd: folder,
      // Every user of the machine can read the arguments of a process, but not its environment.
      env: { ...env, CLIENT_SECRET: client_secret },
      ready: async () => {
        const address = `${issuer}/.well-known/openid-configuration`;
        const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
        await answer.arrayBuffer();
        return answer.status === 200;
      },
      ready_timeout_ms: 60_000,
      grace_ms: 5_000,
    },
    env: {
      OIDC_ISSUER_URL: issuer,
      OIDC_CLIENT_ID: CLIENT,
      OIDC_CLIENT_SECRET: client_secret,
      OIDC_SCOPE: 'openid profile email groups',
      OIDC_OPERATOR_CLAIM: 'groups',
      OIDC_OPERATOR_VALUE: OPERATORS,
    },
  };
};

/** A stack with a sign-in needs its own provider, unless another provider is configured. */
export const needsProvider = (env: Readonly<Record<string, string>>, processes: readonly string[]): boolean =>
  processes.includes('management-api') && (env.OIDC_ISSUER_URL ?? '') === '';

const ANSWERS_WITHIN_MS = 5_000;

/**
 * A URL that signs one person in, once. Rejects if the provider does not create it.
 *
 * @param env the environment of the provider's stack
 */
export const requestOneTimeLink = async (env: Readonly<Record<string, string>>, person: string): Promise<string> => {
  const { OIDC_ISSUER_URL = '', OIDC_CLIENT_SECRET = '' } = env;
  const answer = await fetch(`${OIDC_ISSUER_URL}/links/${person}`, {
    ...{ method: 'POST', headers: { Authorization: `Bearer ${OIDC_CLIENT_SECRET}` } },
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  });
  const text = await answer.text();
  if (answer.status !== 201)
    throw new Error(`the identity provider did not create a sign-in link (status ${answer.status})`);
  return text;
};
