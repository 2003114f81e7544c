import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { createKey } from '../../../catalogue/keys.ts';
import { renameTeam } from '../../../catalogue/teams.ts';
import { ADA, linkPeople } from '../../../demo/link-people.ts';
import { seedDemo } from '../../../demo/seed.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { catalogueReadModel } from '../../../read-models/catalogue/management.ts';
import { oneTimeLink } from '../../../stack/provider/server.ts';
import { type HttpsReceiver, startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { until } from '../../../stack/testing/until.ts';
import { localCertificate } from '../../../stack/tls/kept-certificates.ts';
import { LONG, SHORT, TEMPLATE } from '../_films.ts';
import { importFilm, type Service, untilOver } from '../_service.ts';
import { type Common, test } from '../service/_service-in-common.ts';
import { openChromium } from './_browser.ts';

type World = {
  readonly service: Service;
  readonly project_id: string;
  readonly long_project_id: string;
  readonly receiver: HttpsReceiver;
  readonly browser: Browser;
  readonly page: Page;
};

/** Where pictures of the pages go, for people: with names of theirs. None are made where it is not set. */
const { SCREENSHOTS } = process.env;
const HOSTILE = '<img src=x onerror=document.title=1>';
const named = (name: string): string => (SCREENSHOTS === undefined ? HOSTILE : name);
const TEAM_NAME = named('Marketing');
const PROJECT_NAME = named('Product card');
const KEY_NAME = named('Newsletter');
const RENDER_NAME = named('Winter sale');
/** Of the render whose page is shown. */
const FILM_NAME = named('Winter trails');
const ANSWER = named('{"received":true}');

const at = ({ service }: World, path: string): string => `${service.stack.base_url}/dashboard${path}`;
const ofTeam = (world: World, path: string): string => at(world, `/teams/${world.service.seeded.team_id}${path}`);

let opening: Promise<World> | undefined;

const opened = async (common: Service): Promise<World> => {
  const { stack, folder } = common;
  // An account of its own, as its owner erases it.
  const seeded = await seedDemo({ env: stack.env, kept_at: join(folder, 'dashboard.json') });
  const service = { ...common, seeded };
  await linkPeople(stack.env, seeded);
  const project_id = await importFilm(service, PROJECT_NAME, SHORT);
  const long_project_id = await importFilm(service, 'Long', LONG);
  const { records, store } = service.clients;
  const catalogue = { records, read_model: catalogueReadModel(store.db), actor: 'operator:test', clock: SYSTEM_CLOCK };
  const { account_id, team_id } = seeded;
  await renameTeam(catalogue, team_id, TEAM_NAME);
  await createKey(catalogue, { account_id, user_id: null, team_ids: [team_id], name: KEY_NAME, expires_at: null });
  const certificate = localCertificate(stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const receiver = await startHttpsReceiver({ certificate });
  closing.push(() => receiver.close());
  const browser = await openChromium();
  closing.push(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(20_000);
  return { service, project_id, long_project_id, receiver, browser, page };
};

/** What these tests share, on the service that others have used before. */
const worldOf = ({ context }: ExecutionContext<Common>): Promise<World> => {
  opening ??= opened(context.service);
  return opening;
};

const closing: (() => Promise<void>)[] = [];
test.after.always(async (t) => {
  t.timeout(90_000);
  for (const close of closing.toReversed()) await close();
});

const signIn = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /Ada/ }).click();
};

const postRender = async ({ service }: World, api_key: string, body: object): Promise<Response> =>
  await fetch(`${service.stack.base_url}/v1/renders`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

const shown = async (page: Page, label: string): Promise<string> =>
  (await page.getByRole('dialog').locator('pre', { hasText: label }).first().textContent())?.trim() ?? '';

/** Nothing of {@link HOSTILE} has become a part of the page, or has run. */
const onlyText = async (t: ExecutionContext<Common>, page: Page, why: string): Promise<void> => {
  t.is(await page.locator('img[src="x"]').count(), 0, why);
  t.not(await page.title(), '1', why);
};

/** A browser in which somebody is signed in by a link that works once. */
const signedInBy = async ({ browser, service }: World, person: string) => {
  const link = await oneTimeLink(service.stack.env, person);
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return { page, link, close: () => context.close() };
};

test.serial('the link that make start prints leads to the dashboard, once', async (t) => {
  const world = await worldOf(t);
  const { page, link, close } = await signedInBy(world, ADA);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.is(page.url(), ofTeam(world, '/overview'));
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link was used' }).waitFor();
  await page.getByRole('link', { name: 'Sign in without it' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await close();
});

test.serial('the life of a key, a render and an endpoint, in a browser', async (t) => {
  t.timeout(120_000);
  const world = await worldOf(t);
  const { page, receiver, project_id, long_project_id } = world;
  const film = { project_id, template_id: TEMPLATE, values: { title: RENDER_NAME } };
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (/Content Security Policy/.test(line.text())) faults.push(line.text());
  });

  await page.goto(at(world, ''));
  t.is(page.url(), at(world, '/'), '/dashboard leads to /dashboard/');
  await signIn(page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();

  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('cell', { name: KEY_NAME }).first().waitFor();
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByLabel('Name').fill('shop');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const key = await shown(page, 'vr_');
  await page.getByRole('button', { name: 'I have copied it' }).click();

  receiver.answer('/hook', (_request, nth) => ({ tag: 'answer', status: nth === 1 ? 500 : 200 }));
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Make an endpoint' }).click();
  await page.getByLabel('URL').fill(`${receiver.origin}/hook`);
  await page.getByRole('button', { name: 'Make the endpoint' }).click();
  t.regex(await shown(page, 'whsec_'), /^whsec_/);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  await page.getByRole('link', { name: 'Renders' }).click();
  const made = await postRender(world, key, { ...film, name: RENDER_NAME });
  t.is(made.status, 201);
  await page.getByRole('link', { name: RENDER_NAME }).first().click();
  await page.getByRole('heading', { level: 1, name: RENDER_NAME }).waitFor();
  const loaded = await page.evaluate(() => performance.timeOrigin);
  const main = page.locator('main');
  await main.locator('.mark', { hasText: 'complete' }).waitFor({ timeout: 60_000 });
  t.is(await page.evaluate(() => performance.timeOrigin), loaded, 'without loading the page again');
  for (const status of ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'])
    t.true(await page.locator('main').getByText(status, { exact: true }).first().isVisible(), status);
  await page.locator('video').waitFor();
  await page.evaluate("{ const video = document.querySelector('video'); video.muted = true; video.play(); }");
  const playedTo = async (): Promise<number> => await page.evaluate("document.querySelector('video').currentTime");
  await until('the video plays', async () => (await playedTo()) > 0);
  await page.getByRole('button', { name: 'Render again' }).click();
  t.true((await shown(page, 'curl')).includes(`"title": "${RENDER_NAME}"`));
  await onlyText(t, page, 'values are text');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Once more');
  await dialog.getByLabel('title', { exact: true }).fill('Another title');
  await picture(page, 'render-again');
  await dialog.getByRole('button', { name: 'Render', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Once more' }).waitFor();
  await main.locator('.mark', { hasText: 'complete' }).waitFor({ timeout: 60_000 });

  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('link', { name: `${receiver.origin}/hook` }).click();
  // Of the first render, which is the last row.
  await page.getByRole('row', { name: 'render.complete' }).getByRole('link').last().click();
  await main.locator('.mark', { hasText: 'succeeded' }).first().waitFor({ timeout: 60_000 });
  const attempts = page.getByRole('table', { name: 'Attempts' });
  await attempts.getByRole('cell', { name: '500', exact: true }).waitFor();
  await attempts.getByRole('cell', { name: '200', exact: true }).waitFor();
  const before = receiver.receivedAt('/hook').length;
  await page.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click();
  await page.getByRole('term').filter({ hasText: 'Made again by' }).waitFor();
  await until('it is delivered again', async () => receiver.receivedAt('/hook').length > before);

  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('link', { name: `${receiver.origin}/hook` }).click();
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Show a new secret' }).click();
  t.regex(await shown(page, 'whsec_'), /^whsec_/);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  const long = await postRender(world, key, { project_id: long_project_id, name: 'To be cancelled' });
  t.is(long.status, 201);
  await page.getByRole('link', { name: 'Renders' }).click();
  await page.getByRole('link', { name: 'To be cancelled' }).click();
  await page.getByRole('button', { name: 'Cancel the render' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the render' }).click();
  await page.getByRole('alert').filter({ hasText: 'cancelled' }).first().waitFor();

  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('row', { name: 'shop' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByText('gets 401').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row', { name: 'shop' }).waitFor({ state: 'detached' });
  const began = Date.now();
  await until(
    'the key opens nothing',
    async () => (await postRender(world, key, { ...film, name: 'Late' })).status === 401,
  );
  t.true(Date.now() - began < 2_000);
  t.deepEqual(faults, []);
});

const PAGES = ['overview', 'renders', 'projects', 'keys', 'webhooks', 'people', 'audit'] as const;

/** What axe is asked where a page was asked all in its other theme: what a theme changes. */
const COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

const violations = async (page: Page, within = 'html', options: object = {}): Promise<readonly unknown[]> => {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  return await page.evaluate(
    async ([selector, asked]) => {
      const { axe } = Object(globalThis);
      const { violations: found } = await axe.run(selector, { ...asked, resultTypes: ['violations'] });
      return found.map((one: { id: string; nodes: { html: string; failureSummary: string }[] }) => [
        one.id,
        one.nodes
          .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`)
          .slice(0, 3),
      ]);
    },
    [within, options] as const,
  );
};

const WIDE = { width: 1_280, height: SCREENSHOTS === undefined ? 800 : 1_100 };
const PHONE = { width: 390, height: SCREENSHOTS === undefined ? 844 : 1_100 };

/** Whether the page has the theme that it is asked for, and what moves to another place or colour has arrived. */
const rests = async (page: Page): Promise<boolean> =>
  await page.evaluate(`
    document.documentElement.dataset.mantineColorScheme === (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
    && document.getAnimations().every((one) => one.effect.getComputedTiming().endTime === Infinity)`);

const picture = async (page: Page, name: string): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await until('videos have loaded what they begin with', async () =>
    Boolean(
      await page.evaluate(
        `Array.from(document.querySelectorAll('video')).every(({ readyState, networkState }) =>
          readyState > 1 && networkState === HTMLMediaElement.NETWORK_IDLE)`,
      ),
    ),
  );
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
};

/** Whether the page cannot be moved sideways. */
const fits = async (page: Page): Promise<boolean> =>
  await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

/** Of the page as it stands, in both themes, wide and on a phone. */
const looked = async (t: ExecutionContext<Common>, page: Page, name: string): Promise<readonly unknown[]> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await until(`${name} is loaded`, async () => (await page.getByLabel('Loading').count()) === 0);
  await onlyText(t, page, 'names and answers are text');
  const found: unknown[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(WIDE);
    await until(`${name} rests`, () => rests(page));
    const options = scheme === 'light' ? {} : COLOURS;
    found.push(...(await violations(page, 'html', options)).map((one) => [name, scheme, one]));
    await picture(page, `${name}-${scheme}-wide`);
    // No theme moves anything: a phone is looked at in the other one for its pictures alone.
    if (scheme === 'dark' && SCREENSHOTS === undefined) continue;
    await page.setViewportSize(PHONE);
    await until(`${name} is no wider than a phone, and rests`, async () => (await fits(page)) && (await rests(page)));
    await picture(page, `${name}-${scheme}-phone`);
  }
  return found;
};

/** What the pictures show besides: renders enough for a list, some at work, one of a film that is worth a look. */
const renderForPictures = async (world: World): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  const { project_id, long_project_id, service } = world;
  const post = async (body: object): Promise<string> => {
    const response = await postRender(world, service.seeded.api_key, body);
    if (!response.ok) throw new Error(`a render for the pictures: ${response.status}`);
    return String(Object(await response.json()).id);
  };
  for (const title of ['Spring', 'Summer', 'Autumn', 'Black Friday'])
    await post({ project_id, template_id: TEMPLATE, values: { title }, name: title });
  const { project_id: of_demo, template_id } = service.seeded;
  const values = { headline: 'Winter trails', accent: '#7AC74F' };
  await untilOver(service, await post({ project_id: of_demo, template_id, values, name: FILM_NAME }));
  for (const title of ['Clearance', 'New arrivals'])
    await post({ project_id, template_id: TEMPLATE, values: { title }, name: title });
  await post({ project_id: long_project_id, name: 'Trade fair' });
};

/** As a link of the dashboard does: to load it anew for each page costs more than to look at the page. */
const moveTo = async (page: Page, address: string): Promise<void> => {
  const { pathname } = new URL(address);
  await page.evaluate((path) => Object(globalThis).history.pushState(null, '', path), pathname);
};

/** The address that the first link of a page leads to. */
const linkOn = async ({ page, service }: World, address: string, name: string | RegExp): Promise<string> => {
  await page.goto(address);
  const path = await page.getByRole('link', { name }).first().getAttribute('href');
  return `${service.stack.base_url}${path}`;
};

/** As where what receivers answer is told: this service may call its own machine, so that it tells their status alone. */
const tellAnswers = async (page: Page, text: string): Promise<void> => {
  await page.route(/\/manage\/v1\/teams\/[^/]+\/deliveries\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const delivery = await response.json();
    const told = { response: text, ...(SCREENSHOTS === undefined && { fault: { code: 'failed', message: text } }) };
    const attempts = delivery.attempts.map((attempt: object) => ({ ...attempt, ...told }));
    await route.fulfill({ response, json: { ...delivery, attempts } });
  });
};

test.serial('every page in both themes and on a phone, without a violation of axe', async (t) => {
  t.timeout(240_000);
  const world = await worldOf(t);
  const { page, service } = world;
  const of_account = (path: string): string => at(world, `/accounts/${service.seeded.account_id}${path}`);
  const endpoint = await linkOn(world, ofTeam(world, '/webhooks'), /\/hook/);
  await page.goto(endpoint);
  const first = page.getByRole('row', { name: 'render.complete' }).getByRole('link').first();
  const delivery = `${service.stack.base_url}${await first.getAttribute('href')}`;
  await tellAnswers(page, ANSWER);
  await page.goto(delivery);
  await page.getByRole('table', { name: 'Attempts' }).locator('pre', { hasText: ANSWER }).first().waitFor();
  const found: unknown[] = [];
  await renderForPictures(world);
  const { page: operators, close } = await signedInBy(world, 'olga');
  await operators.getByRole('heading', { name: 'Queues' }).waitFor();
  found.push(...(await looked(t, operators, 'operators')));
  await close();
  for (const [name, address] of [
    ...PAGES.map((one) => [one, ofTeam(world, `/${one}`)] as const),
    ['render', await linkOn(world, ofTeam(world, '/renders'), FILM_NAME)],
    ['endpoint', endpoint],
    ['delivery', delivery],
    ['account', of_account('')],
    ['account-overview', of_account('/overview')],
    ['account-audit', of_account('/audit')],
    ['usage', of_account('/usage')],
    ['sessions', at(world, '/sessions')],
    ['invitation', at(world, '/invitation')],
    ['nowhere', at(world, '/nowhere')],
  ] as const) {
    await moveTo(page, address);
    found.push(...(await looked(t, page, name)));
  }
  t.deepEqual(found, []);
  const stranger = await world.browser.newPage();
  await stranger.goto(at(world, '/'));
  await stranger.getByRole('link', { name: 'Sign in' }).waitFor();
  t.deepEqual(await violations(stranger), [], 'signing in');
  await stranger.close();
});

test.serial('a project is erased once its name is typed, and is in no list then', async (t) => {
  t.timeout(60_000);
  const world = await worldOf(t);
  const { long_project_id } = world;
  const { page, close } = await signedInBy(world, ADA);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(ofTeam(world, `/projects/${long_project_id}`));
  await page.getByRole('heading', { level: 1, name: 'Long' }).waitFor();
  await page.getByRole('button', { name: 'Erase the project' }).click();
  const dialog = page.getByRole('dialog');
  const erase = dialog.getByRole('button', { name: 'Erase the project' });
  const typed = dialog.getByLabel('Type the name of the project');
  await typed.fill('Lon');
  t.true(await erase.isDisabled());
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await until('the dialog rests', () => rests(page));
    // Without the heading, which the library makes a second banner.
    t.deepEqual(await violations(page, '.mantine-Modal-body'), [], scheme);
    await picture(page, `erase-project-${scheme}`);
  }
  await typed.fill('Long');
  await erase.click();
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  await page.getByRole('link', { name: PROJECT_NAME }).first().waitFor();
  await page.getByRole('link', { name: 'Long', exact: true }).waitFor({ state: 'detached' });
  await close();
});

test.serial('who signs in in another tab sees nothing of the one before', async (t) => {
  const world = await worldOf(t);
  const { browser } = world;
  const context = await browser.newContext();
  const [here, there] = [await context.newPage(), await context.newPage()];
  await here.goto(at(world, '/'));
  await signIn(here);
  await here.getByRole('heading', { name: 'Overview' }).waitFor();
  await there.goto(ofTeam(world, '/keys'));
  const key = there.getByRole('cell', { name: KEY_NAME }).first();
  await key.waitFor();
  // The provider, too, asks who it is.
  await context.clearCookies();
  await here.goto(at(world, '/'));
  await here.getByRole('link', { name: 'Sign in' }).click();
  await here.getByRole('button', { name: /Grace/ }).click();
  await here.getByRole('heading', { name: 'Welcome' }).waitFor();
  // As when the tab is looked at again.
  await there.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
  await there.getByRole('link', { name: 'Overview', exact: true }).waitFor({ state: 'detached' });
  await key.waitFor({ state: 'detached', timeout: 5_000 });
  t.is(await there.getByText(KEY_NAME).count(), 0);
  await context.close();
});

const MOST_BYTES = 300 * 1_024;

test.serial('the files of the dashboard: small, cached for ever, closed to others', async (t) => {
  const world = await worldOf(t);
  const { stack } = world.service;
  const page = await fetch(at(world, '/teams/a/renders'));
  const html = await page.text();
  t.is(page.status, 200);
  t.regex(page.headers.get('cache-control') ?? '', /no-cache/);
  const policy = page.headers.get('content-security-policy') ?? '';
  t.regex(policy, /default-src 'none'.*frame-ancestors 'none'/);
  t.notRegex(policy, /unsafe/);
  const again = (await fetch(at(world, '/'))).headers.get('content-security-policy');
  t.not(again, policy, 'a nonce is for one answer');
  const loaded = Array.from(html.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g), ([, path = '']) => path);
  t.true(loaded.length >= 2);
  let bytes = gzipSync(html).length;
  for (const path of loaded) {
    const file = await fetch(`${stack.base_url}${path}`);
    t.is(file.status, 200, path);
    t.is(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.is(file.headers.get('x-content-type-options'), 'nosniff');
    bytes += gzipSync(Buffer.from(await file.arrayBuffer())).length;
  }
  t.true(bytes < MOST_BYTES, `${bytes} bytes`);
  for (const path of [
    '/dashboard/assets/..%2f..%2fpackage.json',
    '/dashboard/assets/%2e%2e/index.html',
    '/dashboard/assets/none.js',
  ]) {
    const answer = await fetch(`${stack.base_url}${path}`);
    t.false((await answer.text()).includes('video-rendering-service'), path);
  }
});

/** Opens the dialog, looks at it, types what it asks for, and goes on. */
const erasedOn = async (t: ExecutionContext<Common>, page: Page, label: string, asked: string, text: string) => {
  await page.getByRole('button', { name: label }).click();
  const dialog = page.getByRole('dialog');
  const erase = dialog.getByRole('button', { name: label });
  const typed = dialog.getByLabel(`Type ${asked}`);
  await typed.fill(text.slice(1));
  t.true(await erase.isDisabled());
  for (const [colorScheme, size] of [
    ['dark', PHONE],
    ['light', WIDE],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await until('the dialog rests', async () => (await fits(page)) && (await rests(page)));
    t.deepEqual(await violations(page, '.mantine-Modal-body'), [], `${label} ${colorScheme}`);
    await picture(page, `${label.toLowerCase().replaceAll(' ', '-')}-${colorScheme}`);
  }
  await typed.fill(text);
  await erase.click();
};

// The last one: nothing is left for another.
test.serial('an owner erases the account, and then themselves; all that they had is taken away', async (t) => {
  t.timeout(90_000);
  const world = await worldOf(t);
  const { clients, seeded } = world.service;
  const { account_id, team_id, user_id } = seeded;
  const read_model = catalogueReadModel(clients.store.db);
  const account = await read_model.find('account', account_id);
  const owner = await signedInBy(world, ADA);
  await owner.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await owner.page.goto(at(world, `/accounts/${account_id}`));
  await erasedOn(t, owner.page, 'Erase the account', 'the name of the account', account?.name ?? '');
  await until('nobody is of it any more', async () => {
    const [members, owners] = [await read_model.membersOf(team_id), await read_model.ownersOf(account_id)];
    return members.length + owners.length === 0;
  });
  t.is((await postRender(world, seeded.api_key, { project_id: 'proj_none', name: 'Late' })).status, 401);
  await owner.close();

  const nobody = await signedInBy(world, ADA);
  await nobody.page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await nobody.page.goto(at(world, '/sessions'));
  await erasedOn(t, nobody.page, 'Erase yourself', 'your user id', user_id);
  await nobody.page.getByRole('link', { name: 'Sign in' }).waitFor();
  await until('nobody signs in as that user any more', async () => {
    const linked = await read_model.find('user_identities', user_id);
    return linked?.identity_ids.length === 0;
  });
  await nobody.close();
});
