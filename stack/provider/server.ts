import { join } from 'node:path';
import type { Server } from '../servers/server.ts';
import { ROOT, requireTool } from '../servers/tools.ts';
import { OPERATORS } from './people.ts';

const CLIENT = 'video-rendering';
const SIGN_IN = '/manage/v1/sign-in';
const TO_DASHBOARD = '?return_to=/dashboard/';

/** Where people begin to sign in; it leads to the provider, and back to the dashboard. */
export const signInUrl = (public_url: string): string => `${public_url}${SIGN_IN}${TO_DASHBOARD}`;

/**
 * An OpenID Connect provider with the people of the demo, on the project's own Node.
 *
 * @param options.public_url where browsers find the service
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
      // An argument can be read by whoever is on the machine.
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
      OIDC_SCOPE: 'openid groups',
      OIDC_OPERATOR_CLAIM: 'groups',
      OIDC_OPERATOR_VALUE: OPERATORS,
    },
  };
};

/** Whether a stack needs one of its own: somebody can sign in, and nowhere else. */
export const needsProvider = (env: Readonly<Record<string, string>>, processes: readonly string[]): boolean =>
  processes.includes('management-api') && (env.OIDC_ISSUER_URL ?? '') === '';

const ANSWERS_WITHIN_MS = 5_000;

/**
 * The address of a page that signs somebody in, once. Rejects when the provider makes none.
 *
 * @param env of the stack whose provider it is
 */
export const oneTimeLink = async (env: Readonly<Record<string, string>>, person: string): Promise<string> => {
  const { OIDC_ISSUER_URL = '', OIDC_CLIENT_SECRET = '' } = env;
  const answer = await fetch(`${OIDC_ISSUER_URL}/links/${person}`, {
    ...{ method: 'POST', headers: { Authorization: `Bearer ${OIDC_CLIENT_SECRET}` } },
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`the provider makes no link to sign in with: ${answer.status}`);
  return text;
};
