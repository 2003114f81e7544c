import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import { servesHost } from './hosts.ts';
import { linkRoutes } from './link-routes.ts';
import { oneTimeLinks } from './one-time-links.ts';
import { APPROVED_PAGE, confirmPage, DENIED_PAGE, pageHeaders, peoplePage, sendPage, userCodePage } from './pages.ts';
import { type DemoPerson, PEOPLE } from './people.ts';

// node stack/provider/main.ts --port PORT --origin URL --redirect URL --sign-in URL: an OpenID Connect provider for
// this machine only. Browsers use the origin, programs use 127.0.0.1. Users choose a person on its page, without a
// password. A one-time link signs one person in without that page; CLIENT_SECRET authorises its creation. All state is
// in memory and ends with the process.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    client: { type: 'string', default: 'video-rendering' },
    redirect: { type: 'string', multiple: true, default: [] },
    origin: { type: 'string', default: '' },
    'sign-in': { type: 'string', default: '' },
  },
});
const client_secret = process.env.CLIENT_SECRET ?? randomBytes(32).toString('hex');
const sign_in = values['sign-in'];
// Identity hashes depend on the issuer, so the issuer does not change with the host name for browsers.
const issuer = `http://127.0.0.1:${values.port}`;
const origin = values.origin === '' ? issuer : values.origin;

const key = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  ...{ use: 'sig', alg: 'RS256', kid: randomBytes(8).toString('hex') },
};

const claimsOf = ({ id, name, email, groups }: DemoPerson) => ({
  ...{ sub: id, name, groups: groups.slice() },
  ...(email !== undefined && { email, email_verified: true }),
});

const showPage = (context: Pick<KoaContextWithOIDC, 'set' | 'body'>, body: string): void => {
  context.set(pageHeaders(sign_in));
  context.body = body;
};

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: values.client,
      client_secret,
      redirect_uris: values.redirect,
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      require_auth_time: true,
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [key] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
  conformIdTokenClaims: false,
  features: {
    devInteractions: { enabled: false },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: async (context, form, _out, error) =>
        showPage(context, error?.name === 'AbortedError' ? DENIED_PAGE : userCodePage(form, error !== undefined)),
      userCodeConfirmSource: async (context, form, _client, _device, code) =>
        showPage(context, confirmPage(form, code)),
      successSource: async (context) => showPage(context, APPROVED_PAGE),
    },
  },
  interactions: { url: (_context, { uid }) => `/people/${uid}` },
  findAccount: (_context, id) => {
    const person = PEOPLE.find((one) => one.id === id);
    return person === undefined ? undefined : { accountId: id, claims: () => claimsOf(person) };
  },
  // The service is the only client, so users need no consent page.
  loadExistingGrant: async ({ oidc: { client, session } }) => {
    if (client === undefined || session?.accountId === undefined) return undefined;
    const given = session.grantIdFor(client.clientId);
    const grant =
      (given === undefined ? undefined : await provider.Grant.find(given)) ??
      new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid profile email groups');
    await grant.save();
    return grant;
  },
});

/** The members of answers to programs that have the address of a page. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  discovery: ['authorization_endpoint'],
  device_authorization: ['verification_uri', 'verification_uri_complete'],
};

// Programs read the answers at the issuer's address. Browsers need another host name, so this replaces the addresses of
// pages in them.
provider.use(async (context, next) => {
  await next();
  const answer: Readonly<Record<string, unknown>> = Object(context.body);
  const members = (PAGES[context.oidc?.route ?? ''] ?? []).filter((name) => typeof answer[name] === 'string');
  if (members.length === 0) return;
  const ofBrowsers = (address: unknown): string => {
    const { pathname, search } = new URL(String(address));
    return `${origin}${pathname}${search}`;
  };
  context.body = { ...answer, ...Object.fromEntries(members.map((name) => [name, ofBrowsers(answer[name])])) };
});

const links = linkRoutes({
  ...{ origin, client_secret, sign_in, session_cookie: provider.cookieName('session') },
  links: oneTimeLinks(() => performance.now()),
});

const PERSON = /^\/people\/([\w-]{1,64})(?:\/(\w{1,32}))?$/;

/**
 * Serves the page, and accepts a choice from the page or from a link. Rejects if the interaction does not exist or has
 * ended.
 */
const interact = async (request: IncomingMessage, response: ServerResponse, chosen: string | null): Promise<void> => {
  const { uid } = await provider.interactionDetails(request, response);
  const person = request.method === 'POST' ? chosen : links.personOf(request, response);
  if (person === null || !PEOPLE.some(({ id }) => id === person)) sendPage(response, 200, peoplePage(uid), sign_in);
  else
    await provider.interactionFinished(
      request,
      response,
      { login: { accountId: person } },
      { mergeWithLastSubmission: false },
    );
};

const serve = provider.callback();
const MISDIRECTED = 421;

createServer((request, response) => {
  if (!servesHost({ issuer, origin }, { host: request.headers.host, url: request.url ?? '' })) {
    response.writeHead(MISDIRECTED, { 'Content-Type': 'text/plain' });
    response.end(`This host name has no pages. Sign in at the service: ${sign_in}\n`);
    return;
  }
  if (links.serve(request, response)) return;
  const found = PERSON.exec(request.url ?? '');
  if (found === null) return void serve(request, response);
  interact(request, response, found[2] ?? null).catch(() => {
    response.writeHead(400, { 'Content-Type': 'text/plain' });
    response.end('This sign-in has expired. Go back and start again.\n');
  });
}).listen(Number(values.port), '127.0.0.1');
