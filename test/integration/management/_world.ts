import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSetCookie } from 'cookie';
import * as E from 'fp-ts/lib/Either.js';
import { createAccount } from '../../../catalogue/accounts.ts';
import type { CatalogueWriter } from '../../../catalogue/change.ts';
import { linkIdentity } from '../../../catalogue/identities.ts';
import { createInvitation } from '../../../catalogue/invitations.ts';
import { addMember } from '../../../catalogue/members.ts';
import { createTeam } from '../../../catalogue/teams.ts';
import { registerUser } from '../../../catalogue/users.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../../domain/uploads/limits.ts';
import { addSecurityHeaders } from '../../../management-api/access/security-headers.ts';
import { addManagementRoutes } from '../../../management-api/api.ts';
import { type OpenManagementDependencies, openManagement } from '../../../management-api/management.ts';
import { signInSettings } from '../../../management-api/sign-in/settings.ts';
import { identityId } from '../../../platform/access/identity-id.ts';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import { openUploadBlobs } from '../../../platform/blob-store/azure-upload-blobs.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE, OUTBOUND, SIGN_IN } from '../../../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../../../platform/http-server/fallback-routes.ts';
import { createServer } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { outboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { testCatalogue } from '../../helpers/test-catalogue.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { untilServed } from '../api/_client.ts';
import { type Browser, openBrowser } from './_browser.ts';
import { holdAgainstDocument } from './_contract.ts';

export type World = {
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly catalogue: CatalogueWriter;
  readonly account_id: string;
  readonly team_id: string;
  /** `/manage/v1` of the gateway. */
  readonly manage: string;
  readonly origin: string;
  readonly identityOf: (subject: string) => string;
  readonly stop: () => Promise<void>;
};

export const made = async <A>(step: Promise<E.Either<unknown, A>>): Promise<A> => {
  const done = await step;
  if (E.isLeft(done)) throw new Error(JSON.stringify(done.left));
  return done.right;
};

/** The management API behind the gateway, with the provider of the stack; Ada is an admin of the team. */
export const startManagementWorld = async (
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<World> => {
  const folder = await mkdtemp(join(tmpdir(), 'management '));
  const stack = await startTestStack({
    dataDir: folder,
    components: ['projectors', 'command-api', 'query-api', 'management-api', 'gateway', ...more],
    env: { GATEWAY_SIGNED_OUT_REQUESTS_PER_MINUTE: '1000000', ...env },
  });
  const clients = await openStackClients(stack.env);
  const catalogue = testCatalogue(clients);
  const { id: account_id } = await made(createAccount(catalogue, { name: 'Films', unlimited_credits: true }));
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name: 'Trailers' }));
  const { OIDC_ISSUER_URL = '', IDENTITY_SECRET = '', PUBLIC_URL: origin = '' } = stack.env;
  const identityOf = (subject: string): string => identityId(IDENTITY_SECRET, OIDC_ISSUER_URL, subject);
  await made(registerUser(catalogue, 'user_ada'));
  await made(addMember(catalogue, { team_id, user_id: 'user_ada', role: 'admin' }));
  await made(linkIdentity(catalogue, { identity_id: identityOf('ada'), user_id: 'user_ada' }));
  return {
    ...{ stack, clients, catalogue, account_id, team_id, identityOf },
    ...{ manage: `${origin}/manage/v1`, origin },
    stop: async () => {
      await clients.close();
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export const invited = async ({ catalogue, account_id, team_id }: World): Promise<string> =>
  (await made(createInvitation(catalogue, { account_id, team_id, role: 'member' }))).token;

export const beginAt = async ({ manage }: World, browser: Browser, query = ''): Promise<string> => {
  const answer = await untilServed(async () => await told(await browser.ask(`${manage}/sign-in${query}`)));
  return answer.headers.get('location') ?? '';
};

/** Chooses a person at the provider. @returns the address of the callback, which is not opened */
export const chooseAt = async ({ origin }: World, browser: Browser, address: string, who: string): Promise<string> => {
  const away = (url: string): boolean => !url.startsWith(`${origin}/`);
  const shown = await browser.open(address, away);
  await shown.response.arrayBuffer();
  if (!away(shown.url)) return shown.url;
  const chosen = await browser.ask(`${shown.url}/${who}`, { method: 'POST' });
  await chosen.arrayBuffer();
  const back = await browser.open(new URL(chosen.headers.get('location') ?? '', shown.url).href, away);
  return back.url;
};

/**
 * Signs in completely.
 *
 * @returns the answer to the callback
 */
export const signInAs = async (
  world: World,
  who: string,
  browser: Browser = openBrowser(),
  query = '',
): Promise<{ readonly browser: Browser; readonly answer: Response }> => {
  const callback = await chooseAt(world, browser, await beginAt(world, browser, query), who);
  return { browser, answer: await browser.ask(callback) };
};

export type Told = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
};

export const told = async (answer: Response): Promise<Told> => {
  const text = await answer.text();
  const is_json = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, headers: answer.headers, body: is_json ? JSON.parse(text) : { text } };
};

/** Retries while a busy service answers 503. Rejects if the answer violates the OpenAPI document. */
export const get = async ({ manage }: World, browser: Browser, path: string): Promise<Told> => {
  const ask = async (): Promise<Told> => {
    const answer = await told(await browser.ask(`${manage}${path}`));
    holdAgainstDocument('GET', `${manage}${path}`, answer);
    return answer;
  };
  return await untilServed(ask);
};

/** Posts as a page of the service does. Rejects if the answer violates the OpenAPI document. */
export const post = async (
  { manage, origin }: World,
  browser: Browser,
  path: string,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> => {
  const request = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json', ...headers },
  };
  const ask = async (): Promise<Told> => {
    const answer = await told(await browser.ask(`${manage}${path}`, request));
    holdAgainstDocument('POST', `${manage}${path}`, answer);
    return answer;
  };
  return await untilServed(ask, (answer) => String(answer?.body.error).includes('nothing was changed'));
};

export const sessionOf = async (
  { identityOf }: World,
  { management }: Awaited<ReturnType<typeof apiIn>>,
  subject: string,
  more: { readonly is_operator?: boolean; readonly auth_time?: number } = {},
): Promise<string> => {
  const who = { is_operator: false, auth_time: null, user_agent: null, ...more, identity_id: identityOf(subject) };
  return parseSetCookie(await management.signing.beginSession(who, null)).value ?? '';
};

export const browserWith = (token: string): Browser => {
  const browser = openBrowser();
  browser.setCookie('video_session', token);
  return browser;
};

/** The same API in this process, on the same store, with its own address and clock. */
export const apiIn = async (
  { stack, clients }: World,
  { public_url, now }: { readonly public_url: string; readonly now: () => number },
) => {
  const decoded = decodeConfiguration(
    { ...stack.env, PUBLIC_URL: public_url },
    { sign_in: SIGN_IN, outbound: OUTBOUND, blob_store: BLOB_STORE },
  );
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const settings = signInSettings(decoded.right.sign_in);
  if (E.isLeft(settings) || settings.right === null) throw new Error('the stack has no provider');
  const outbound = outboundRules(decoded.right.outbound);
  if (E.isLeft(outbound)) throw new Error(outbound.left);
  const logger = createLogger('test', 'silent');
  const parts: OpenManagementDependencies = {
    ...{ db: clients.store.db, records: clients.records, sign_in: settings.right, logger },
    blobs: openBlobStore(decoded.right.blob_store),
    upload_blobs: openUploadBlobs(decoded.right.blob_store),
    upload_limits: DEFAULT_UPLOAD_LIMITS,
    seals: clients.seals,
    requestRender: () => Promise.reject(new Error('no render is asked for in this test')),
    stillsService: () => Promise.reject(new Error('no still is drawn in this test')),
    sessions: { idle_s: 3_600, lifetime_s: 86_400, fresh_s: 900 },
    rate_limits: { per_s: 1_000, burst: 1_000 },
    cursors: { secret: stack.env.CURSOR_SECRET ?? 'c'.repeat(32) },
    ...{ seal: E.left('there is no key in this test'), outbound: outbound.right, tells_answers: false },
    isBehind: async () => false,
    // The caches expire between requests, because each request is a second later.
    clock: { ...SYSTEM_CLOCK, now, monotonic: now },
  };
  const management = await openManagement(parts);
  const readiness = createReadiness();
  const server = createServer({ name: 'test', logger, metrics: createMetrics('test'), readiness });
  addSecurityHeaders(server, public_url);
  addManagementRoutes(server, logger, management, null);
  addFallbackRoutes(server, undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { management, manage: `${server.url}/manage/v1`, close };
};
