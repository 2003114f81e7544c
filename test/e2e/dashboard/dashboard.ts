import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BlobWriter, TextReader, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js';
import type { ExecutionContext } from 'ava';
import { execa } from 'execa';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { DEMO_PERSON } from '../../../demo/link-people.ts';
import { catalogueReadModel } from '../../../read-models/catalogue/management.ts';
import { requestOneTimeLink } from '../../../stack/provider/server.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { idOf } from '../../integration/api/_client.ts';
import { TEMPLATE, TINY } from '../_films.ts';
import { importFilm, untilOver } from '../_service.ts';
import { type Common, test } from '../service/_service-in-common.ts';
import {
  ANSWER,
  at,
  COLOURS,
  FILM_NAME,
  fits,
  HOSTILE,
  KEY_NAME,
  menu,
  ofTeam,
  onlyText,
  originOf,
  PAGE_WITHIN_MS,
  PHONE,
  PROJECT_NAME,
  picture,
  postRender,
  pressUntil,
  RENDER_NAME,
  rests,
  SCREENSHOTS,
  shown,
  signedInBy,
  signIn,
  violations,
  WIDE,
  type World,
  worldOf,
} from './_world.ts';

test.serial('the link that make start prints opens the dashboard, once', async (t) => {
  const world = await worldOf(t);
  const { page, link, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.is(page.url(), ofTeam(world, '/overview'));
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link was already used' }).waitFor();
  await page.getByRole('link', { name: 'Sign in without the link' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await close();
});

const BIRTHDAY = join(import.meta.dirname, '..', '..', '..', 'examples', 'starters', 'birthday');

const filmOf = ({ project_id }: World) => ({ project_id, template_id: TEMPLATE, values: { title: RENDER_NAME } });

/** Errors of the page, and violations of its Content Security Policy, from now on. */
const faultsOf = (page: Page): readonly string[] => {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (/Content Security Policy/.test(line.text())) faults.push(line.text());
  });
  return faults;
};

const createKey = async ({ page }: World): Promise<string> => {
  await menu(page, 'API keys').click();
  await page.getByRole('cell', { name: KEY_NAME }).first().waitFor();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('shop');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await shown(page, 'vr_');
  await page.getByRole('button', { name: 'I copied it' }).click();
  return key;
};

/** Creates an endpoint that fails its first delivery. */
const createEndpoint = async (t: ExecutionContext<Common>, { page, receiver }: World): Promise<void> => {
  receiver.answer('/hook', (_request, nth) => ({ tag: 'answer', status: nth === 1 ? 500 : 200 }));
  await menu(page, 'Webhooks').click();
  await page.getByRole('button', { name: 'Create an endpoint' }).click();
  await page.getByLabel('URL').fill(`${receiver.origin}/hook`);
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  t.regex(await shown(page, 'whsec_'), /^whsec_/);
  await page.getByRole('button', { name: 'I copied it' }).click();
};

/** A picture that no project has. */
const ownPicture = (): Promise<Buffer> =>
  sharp({ create: { width: 240, height: 80, channels: 3, background: '#FF00FF' } })
    .png()
    .toBuffer();

/** Fills in the form with an own picture, and sees each change in the still. */
const fillForm = async (t: ExecutionContext<Common>, { page }: World): Promise<void> => {
  const still = page.getByRole('img', { name: 'The video at the chosen time' });
  const drawn = async (change: () => Promise<void>): Promise<void> => {
    const before = await still.getAttribute('src');
    await change();
    await pollUntil('another still is shown', async () => (await still.getAttribute('src')) !== before, PAGE_WITHIN_MS);
  };
  await still.waitFor();
  await page.getByLabel('Name of the video').fill(RENDER_NAME);
  await drawn(() => page.getByLabel('title', { exact: true }).fill(RENDER_NAME));
  await page.getByLabel('band', { exact: true }).fill('#12');
  await page.getByText('Must be a colour like #E30613.').waitFor();
  t.true(await page.getByRole('button', { name: 'Render', exact: true }).isDisabled());
  await drawn(() => page.getByLabel('band', { exact: true }).fill('#0000FF'));
  await drawn(async () => {
    const file = { name: 'own.png', mimeType: 'image/png', buffer: await ownPicture() };
    // The network is lost once while the file is sent.
    let lost = 0;
    await page.route(/comp=block&/, (route) => {
      lost += 1;
      return lost === 1 ? route.abort() : route.continue();
    });
    await page.getByLabel('Upload a picture: logo').setInputFiles(file);
    await page.getByText('own.png', { exact: true }).waitFor();
    t.is(lost, 2, 'the upload continued by itself');
    await page.unroute(/comp=block&/);
  });
  await page.getByText(/Uses the project's current version\. Costs \d+ credits?\./).waitFor();
  await onlyText(t, page, 'values are text');
  t.deepEqual(await violations(page), [], 'new video');
  await picture(page, 'new-video');
};

/** Somebody without a key renders a film. Its page follows it without a reload, and plays it. */
const newVideo = async (t: ExecutionContext<Common>, world: World): Promise<void> => {
  const { page } = world;
  await menu(page, 'Projects').click();
  await page.getByRole('link', { name: `New video of ${PROJECT_NAME}` }).click();
  await fillForm(t, world);
  await page.reload();
  await page.getByText('own.png', { exact: true }).waitFor();
  t.is(await page.getByLabel('title', { exact: true }).inputValue(), RENDER_NAME, 'a reload loses nothing');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Render', exact: true }).click();
  await page.getByText('this tab keeps what you entered').waitFor();
  t.is(await page.getByText(RENDER_NAME).count(), 0, 'the page of somebody signed out shows nothing');
  await signIn(page);
  await page.getByText('own.png', { exact: true }).waitFor();
  t.is(await page.getByLabel('title', { exact: true }).inputValue(), RENDER_NAME, 'an ended session loses nothing');
  await page.getByRole('button', { name: 'Render', exact: true }).click();
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
  await pollUntil('the video plays', async () => (await playedTo()) > 0);
};

const renderAgain = async (t: ExecutionContext<Common>, { page }: World): Promise<void> => {
  await page.getByRole('link', { name: 'Render again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Render again' }).waitFor();
  const title = page.getByLabel('title', { exact: true });
  t.is(await title.inputValue(), RENDER_NAME);
  await page.getByText('own.png', { exact: true }).waitFor();
  await page.getByLabel('Name of the video').fill('Once more');
  await title.fill('Another title');
  await page.getByRole('button', { name: 'Render', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Once more' }).waitFor();
  await page.locator('main').locator('.mark', { hasText: 'complete' }).waitFor({ timeout: 60_000 });
};

/** Only the keyboard is used. */
const searchByKeyboard = async (t: ExecutionContext<Common>, { page }: World): Promise<void> => {
  await menu(page, 'Renders').click();
  await page.getByLabel('Search by name').fill('onc mor');
  await page.getByRole('link', { name: RENDER_NAME, exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'Once more' }).waitFor();
  await menu(page, 'Overview').click();
  await page.getByRole('region', { name: 'Latest videos' }).getByRole('link', { name: 'Once more' }).waitFor();
  await page.getByText('Make a video', { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
  await page.keyboard.type('once');
  await page.locator('[data-combobox-selected]', { hasText: 'Once more' }).waitFor();
  await pollUntil('the dialog rests', () => rests(page));
  t.deepEqual(await violations(page, '.mantine-Modal-body'), [], 'quick search');
  await picture(page, 'quick-search');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Once more' }).waitFor();
};

const deliverAgain = async ({ page, receiver }: World): Promise<void> => {
  await menu(page, 'Webhooks').click();
  await page.getByRole('link', { name: `${receiver.origin}/hook` }).click();
  // The first render is the last row.
  await page.getByRole('row', { name: 'render.complete' }).getByRole('link').last().click();
  await page.locator('main').locator('.mark', { hasText: 'succeeded' }).first().waitFor({ timeout: 60_000 });
  const attempts = page.getByRole('table', { name: 'Attempts' });
  await attempts.getByRole('cell', { name: '500', exact: true }).waitFor();
  await attempts.getByRole('cell', { name: '200', exact: true }).waitFor();
  const before = receiver.receivedAt('/hook').length;
  await page.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click();
  await page.getByRole('term').filter({ hasText: 'Repeated by' }).waitFor();
  await pollUntil('it is delivered again', async () => receiver.receivedAt('/hook').length > before);
};

const rotateSecret = async (t: ExecutionContext<Common>, { page, receiver }: World): Promise<void> => {
  await menu(page, 'Webhooks').click();
  await page.getByRole('link', { name: `${receiver.origin}/hook` }).click();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create new secret' }).click();
  t.regex(await shown(page, 'whsec_'), /^whsec_/);
  await page.getByRole('button', { name: 'I copied it' }).click();
};

const cancelRender = async (t: ExecutionContext<Common>, world: World, key: string): Promise<void> => {
  const { page, long_project_id } = world;
  const long = await postRender(world, key, { project_id: long_project_id, name: 'To be cancelled' });
  t.is(long.status, 201);
  await menu(page, 'Renders').click();
  await page.getByRole('link', { name: 'To be cancelled' }).click();
  await page.getByRole('button', { name: 'Cancel render' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel render' }).click();
  await page.getByRole('alert').filter({ hasText: 'cancelled' }).first().waitFor();
};

const cancelFromList = async (t: ExecutionContext<Common>, world: World, key: string): Promise<void> => {
  const { page, long_project_id } = world;
  const name = 'To be cancelled in the list';
  t.is((await postRender(world, key, { project_id: long_project_id, name })).status, 201);
  await menu(page, 'Renders').click();
  const row = page.getByRole('row', { name });
  await row.getByRole('checkbox').check();
  await picture(page, 'renders-selected');
  const selected = page.getByRole('region', { name: 'Selected renders' });
  t.is(await selected.getByRole('status').textContent(), '1 render selected');
  await selected.getByRole('button', { name: 'Cancel 1 render' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 render' }).click();
  await row.getByText('cancelled').waitFor();
  t.is(await row.getByText('Long', { exact: true }).count(), 1, 'the project');
  await page.getByLabel('From', { exact: true }).fill('2099-01-01');
  await page.getByText('No renders match').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row.waitFor();
};

const revokeKey = async (world: World, key: string): Promise<void> => {
  const { page } = world;
  await menu(page, 'API keys').click();
  await page.getByRole('row', { name: 'shop' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByText('fail with status 401').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row', { name: 'shop' }).waitFor({ state: 'detached' });
  await pollUntil(
    'the key opens nothing',
    async () => (await postRender(world, key, { ...filmOf(world), name: 'Late' })).status === 401,
  );
};

test.serial('a person manages a key, a render and an endpoint in a browser', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { page } = world;
  const faults = faultsOf(page);
  await page.goto(at(world, ''));
  t.is(page.url(), at(world, '/'), '/dashboard leads to /dashboard/');
  await signIn(page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const key = await createKey(world);
  await createEndpoint(t, world);
  await newVideo(t, world);
  await renderAgain(t, world);
  await searchByKeyboard(t, world);
  await deliverAgain(world);
  await rotateSecret(t, world);
  await cancelRender(t, world, key);
  await cancelFromList(t, world, key);
  await revokeKey(world, key);
  t.deepEqual(faults, []);
});

const PAGES = ['overview', 'renders', 'projects', 'keys', 'webhooks', 'people', 'audit'] as const;

const LOOKS = [
  { scheme: 'light', size: WIDE, form: 'wide' },
  { scheme: 'light', size: PHONE, form: 'phone' },
  { scheme: 'dark', size: PHONE, form: 'phone' },
  { scheme: 'dark', size: WIDE, form: 'wide' },
] as const;

/** Axe also runs on phones where the layout differs most. On other pages, only the width is checked there. */
const AXE_ON_PHONES: readonly string[] = [
  ...['renders', 'form', 'usage', 'import-faults', 'sheet-empty', 'sheet', 'sheet-complete'],
];

/** Checks the current page in both themes, on a wide screen and on a phone. Leaves it wide and light. */
const looked = async (t: ExecutionContext<Common>, page: Page, name: string): Promise<readonly unknown[]> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await pollUntil(`${name} is loaded`, async () => (await page.getByLabel('Loading').count()) === 0);
  await onlyText(t, page, 'names and answers are text');
  const found: unknown[] = [];
  const is_on_phones = AXE_ON_PHONES.includes(name);
  for (const { scheme, size, form } of LOOKS) {
    // Themes do not change the layout.
    if (form === 'phone' && scheme === 'dark' && !is_on_phones && SCREENSHOTS === undefined) continue;
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(size);
    await pollUntil(`${name} fits and rests`, async () => (await fits(page)) && (await rests(page)));
    const options = scheme === 'light' ? {} : COLOURS;
    if (form === 'wide' || is_on_phones)
      found.push(...(await violations(page, 'html', options)).map((one) => [name, scheme, form, one]));
    await picture(page, `${name}-${scheme}-${form}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
};

/** Further renders for the pictures: enough for a list, some in progress, and one with a presentable film. */
const renderForPictures = async (world: World): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  const { project_id, long_project_id, service } = world;
  const post = async (body: object): Promise<string> => {
    return idOf(await postRender(world, service.seeded.api_key, body));
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

/** Navigates without a reload, which would cost more than the check of the page. */
const moveTo = async (page: Page, address: string): Promise<void> => {
  const { pathname } = new URL(address);
  await page.evaluate((path) => Object(globalThis).history.pushState(null, '', path), pathname);
};

/** The address that the first link of a page leads to. */
const linkOn = async (world: World, address: string, name: string | RegExp): Promise<string> => {
  const { page } = world;
  await page.goto(address);
  const path = await page.getByRole('link', { name }).first().getAttribute('href');
  return `${originOf(world)}${path}`;
};

/**
 * Makes the page show this text as the receiver's response. The API of this stack returns only the status, because the
 * stack may call its own machine.
 */
const tellAnswers = async (page: Page, text: string): Promise<void> => {
  await page.route(/\/manage\/v1\/teams\/[^/]+\/deliveries\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const delivery = await response.json();
    const told = { response: text, ...(SCREENSHOTS === undefined && { fault: { code: 'failed', message: text } }) };
    const attempts = delivery.attempts.map((attempt: object) => ({ ...attempt, ...told }));
    await route.fulfill({ response, json: { ...delivery, attempts } });
  });
};

test.serial('no page violates an axe rule, in both themes and on a phone', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { page, service } = world;
  const of_account = (path: string): string => at(world, `/accounts/${service.seeded.account_id}${path}`);
  const endpoint = await linkOn(world, ofTeam(world, '/webhooks'), /\/hook/);
  await page.goto(endpoint);
  const first = page.getByRole('row', { name: 'render.complete' }).getByRole('link').first();
  const delivery = `${originOf(world)}${await first.getAttribute('href')}`;
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
    ['new-project', ofTeam(world, '/projects/new')],
    ['project', ofTeam(world, `/projects/${world.project_id}`)],
    ['form', ofTeam(world, `/projects/${world.project_id}/new-video`)],
    ['sheet-empty', ofTeam(world, `/projects/${world.project_id}/sheet`)],
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
    if (name === 'audit') {
      const expiry = await page
        .getByText(/^Expires at:/)
        .first()
        .locator('time')
        .getAttribute('title');
      t.regex(expiry ?? '', /20\d\d.* UTC/);
    }
  }
  t.deepEqual(found, []);
  const stranger = await world.browser.newPage();
  stranger.setDefaultTimeout(PAGE_WITHIN_MS);
  await stranger.goto(at(world, '/'));
  await stranger.getByRole('link', { name: 'Sign in' }).waitFor();
  t.deepEqual(await violations(stranger), [], 'signing in');
  await stranger.close();
});

/** A ZIP file with a fault, then a folder without faults. */
const importProject = async (t: ExecutionContext<Common>, page: Page): Promise<void> => {
  const writer = new ZipWriter(new BlobWriter());
  const asset = { id: 'logo', kind: 'image', file: 'own.png' };
  await writer.add('film/project.json', new TextReader(JSON.stringify({ assets: [asset], widht: 3 }, null, 2)));
  await writer.add('film/own.png', new Uint8ArrayReader(new Uint8Array(await ownPicture())));
  const buffer = Buffer.from(await (await writer.close()).arrayBuffer());
  await page
    .getByLabel('ZIP file of a project')
    .setInputFiles({ name: 'film.zip', mimeType: 'application/zip', buffer });
  await page.getByText(/^line \d+: widht/).waitFor();
  t.deepEqual(await looked(t, page, 'import-faults'), []);
  await page.getByLabel('Folder of a project').setInputFiles(BIRTHDAY);
  await page.getByRole('heading', { level: 1, name: 'Birthday card' }).waitFor();
};

test.serial('a project from a starter shows its still, and its document can be changed', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const film = page.getByRole('region', { name: 'Latest videos' }).getByRole('listitem').first();
  await film.hover();
  await film.locator('video').waitFor();
  await pollUntil(
    'the card plays',
    async () => Number(await film.locator('video').evaluate((video) => Object(video).currentTime)) > 0,
  );
  await page.goto(ofTeam(world, '/renders?view=cards'));
  await page.getByRole('listitem').getByRole('link', { name: 'Once more' }).waitFor();
  t.deepEqual(await violations(page), [], 'cards of renders');
  const { project_id } = world.service.seeded;
  await page.goto(ofTeam(world, `/renders?project=${project_id}&template=tpl_none`));
  await page.getByText('No renders match').waitFor();
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'Campaign film' }).click();
  await page.waitForURL(/template=tpl_campaign/);
  await page.goto(ofTeam(world, '/projects'));
  await page.getByRole('link', { name: 'New project' }).click();
  const card = page.getByRole('button', { name: /^Quote card/ });
  await card.waitFor();
  t.deepEqual(await violations(page), [], 'new project');
  await importProject(t, page);
  await page.goBack();
  await card.click();
  await page.getByRole('heading', { level: 1, name: 'Quote card' }).waitFor();

  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Document of the project, as JSON' });
  await editor.press('Control+Home');
  await editor.press('ArrowDown');
  await editor.press('Home');
  await page.keyboard.type('"widht": 3,');
  await page.getByText('is not a known property').first().waitFor();
  t.deepEqual(await violations(page), [], 'JSON');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await editor.press('Control+End');
  await page.keyboard.type(' ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();

  for (const [tab, text] of [
    ['Assets', 'dm-serif-display.ttf'],
    ['Versions', 'Current'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByText(text).first().waitFor();
    await page.getByRole('tabpanel').locator('img.still').first().waitFor();
    t.deepEqual(await violations(page), [], tab);
  }
  await page.getByRole('tab', { name: 'Assets' }).click();
  // The team has the bytes by another name, which the upload keeps.
  const added = { name: 'own mark.png', mimeType: 'image/png', buffer: await ownPicture() };
  await page.getByLabel('Add a file to the project').setInputFiles(added);
  await page.getByText('own.png', { exact: true }).waitFor();
  await page.getByText('Not used').first().waitFor();
  await page.getByText(/^Version 2/).waitFor();
  await menu(page, 'Projects').click();
  const card_of = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'Quote card', exact: true }) });
  await card_of.locator('img.still').waitFor();
  await picture(page, 'projects-without-renders');
  await close();
});

const CITIES = ['Oslo', 'Bergen', 'Narvik', 'Bod\u00f8', 'Alta', 'Hamar', 'Moss', 'Voss', 'Skien', HOSTILE];

/** Pastes ten rows, one of which has a fault, and corrects it. */
const fillSheet = async (t: ExecutionContext<Common>, page: Page): Promise<void> => {
  const rows = CITIES.map((city, n) => `${city}\t${city}\t${n === 3 ? 'blue' : '#0000FF'}`);
  await page.getByLabel('Rows', { exact: true }).fill(['Name\tTITLE\tband', ...rows].join('\n'));
  await page.getByRole('button', { name: 'Use these rows' }).click();
  const table = page.getByRole('table', { name: 'Rows of the sheet' });
  await table.getByText('Must be a colour like #E30613.').waitFor();
  await page.getByText('1 row has a fault. Correct it, or render the other 9.').waitFor();
  await pollUntil(
    'nine stills are drawn',
    async () => (await table.locator('img.still').count()) === 9,
    PAGE_WITHIN_MS,
  );
  t.deepEqual(await looked(t, page, 'sheet'), []);
  await page.reload();
  await table.getByLabel('band, row 4').fill('#0000FF');
  await page.getByRole('button', { name: /^Render 10 for \d+ credits$/ }).waitFor();
  await onlyText(t, page, 'cells are text');
};

test.serial('ten pasted rows become ten films in one ZIP, each once', async (t) => {
  t.timeout(300_000);
  const world = await worldOf(t);
  const project_id = await importFilm(world.service, 'Cities', TINY);
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  // The headless browser has no dialog for the place of a file.
  await page.addInitScript('delete globalThis.showSaveFilePicker');
  await page.goto(ofTeam(world, `/projects/${project_id}`));
  await page.getByRole('link', { name: 'Sheet', exact: true }).click();
  await fillSheet(t, page);
  const render = page.getByRole('button', { name: /^Render 10 for/ });
  // The first answer is lost, so the rows are sent twice.
  const sent: string[] = [];
  await page.route('**/renders/batch', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent.push(route.request().postData() ?? '');
    if (sent.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await render.click();
  await page.reload();
  await page.getByText('10 complete, 0 in progress, 0 failed').waitFor();
  t.true(sent.length > 1);
  t.is(new Set(sent).size, 1, 'with the same keys');
  t.deepEqual(await looked(t, page, 'sheet-complete'), []);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download ZIP of 10 videos' }).click(),
  ]);
  t.is(download.suggestedFilename(), 'Cities.zip');
  const folder = join(world.service.folder, 'sheet');
  await execa('unzip', ['-q', await download.path(), '-d', folder]);
  const names = CITIES.map((city, n) => `${String(n + 1).padStart(3, '0')}-${city}.mp4`);
  names[9] = '010-img src=x onerror=document.title=1.mp4';
  const probes = names.map(async (name) => {
    const shown = [
      '-v',
      'error',
      '-select_streams',
      'v:0',
      '-count_frames',
      '-show_entries',
      'stream=nb_read_frames',
      '-of',
      'csv=p=0',
    ];
    return (await execa(process.env.FFPROBE_PATH ?? 'ffprobe', [...shown, join(folder, name)])).stdout.trim();
  });
  t.deepEqual(
    await Promise.all(probes),
    names.map(() => '10'),
  );
  const listed = await page.evaluate(
    `fetch('/manage/v1/teams/${world.service.seeded.team_id}/projects/${project_id}/renders?limit=60').then((answer) => answer.json())`,
  );
  t.is(Object(listed).data.length, 10, 'no row was rendered twice');
  await page.getByRole('button', { name: 'New sheet' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New sheet' }).click();
  await page.getByLabel('Rows', { exact: true }).waitFor();
  await close();
});

test.serial('a project is erased after its name is typed, and leaves all lists', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { long_project_id } = world;
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(ofTeam(world, `/projects/${long_project_id}`));
  await page.getByRole('heading', { level: 1, name: 'Long' }).waitFor();
  await page.getByRole('button', { name: 'Erase project' }).click();
  const dialog = page.getByRole('dialog');
  const erase = dialog.getByRole('button', { name: 'Erase project' });
  const typed = dialog.getByLabel('Type the name of the project');
  await typed.fill('Lon');
  t.true(await erase.isDisabled());
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await pollUntil('the dialog rests', () => rests(page));
    // The body only: the library makes the heading a second banner.
    t.deepEqual(await violations(page, '.mantine-Modal-body'), [], scheme);
    await picture(page, `erase-project-${scheme}`);
  }
  await typed.fill('Long');
  const projects = page.getByRole('heading', { level: 1, name: 'Projects' });
  await pressUntil(t, erase, projects);
  await page.getByRole('link', { name: PROJECT_NAME }).first().waitFor();
  await page.getByRole('link', { name: 'Long', exact: true }).waitFor({ state: 'detached' });
  await close();
});

test.serial('an owner can name downloads by ID on the account page', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { account_id } = world.service.seeded;
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(at(world, `/accounts/${account_id}`));
  const by_name = page.getByText('Downloads are named after the render or project.');
  const by_id = page.getByText('Downloads are named by ID.');
  const ask = async (label: string, shown: Locator): Promise<void> => {
    await page.locator('#content').getByRole('button', { name: label }).click();
    await pressUntil(t, page.getByRole('dialog').getByRole('button', { name: label }), shown);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await by_name.waitFor();
  await ask('Name downloads by ID', by_id);
  const read_model = catalogueReadModel(world.service.clients.store.db);
  t.is((await read_model.find('account_retention', account_id))?.downloads_named_by, 'id');
  await ask('Name downloads by name', by_name);
  await close();
});

test.serial('an owner creates a team, renames it and adds a member by address', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { account_id } = world.service.seeded;
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('banner').getByText('Ada', { exact: true }).waitFor();
  await page.goto(at(world, `/accounts/${account_id}`));
  await page.getByRole('button', { name: 'Create a team' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Trailers');
  await dialog.getByRole('button', { name: 'Create team' }).click();
  await page.getByRole('table', { name: 'Teams' }).getByRole('link', { name: 'Trailers' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByLabel('Name').fill('Teasers');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByText(/^Members of Teasers/).waitFor();
  await page.getByRole('button', { name: 'Add a member' }).click();
  await dialog.getByRole('combobox', { name: 'Person' }).click();
  await page.getByRole('option', { name: 'Ada (demo@example.org)' }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('cell', { name: 'Ada (you) demo@example.org' }).waitFor();
  t.deepEqual(await violations(page), []);
  await close();
});

/** Ada has a tab of keys, and Grace signs in in another tab. @param is_told whether Grace's page informs Ada's tab */
const anotherPerson = async (t: ExecutionContext<Common>, is_told: boolean): Promise<void> => {
  const world = await worldOf(t);
  const { browser } = world;
  const context = await browser.newContext();
  context.setDefaultTimeout(PAGE_WITHIN_MS);
  const [here, there] = [await context.newPage(), await context.newPage()];
  await here.goto(at(world, '/'));
  await signIn(here);
  await here.getByRole('heading', { name: 'Overview' }).waitFor();
  await there.goto(ofTeam(world, '/keys?open=make'));
  const key = there.getByRole('cell', { name: KEY_NAME }).first();
  await key.waitFor();
  await there.getByLabel('Name').fill('of Ada');
  // Without Grace's page, Ada's tab notices only that its event stream ends and that a new one is refused.
  if (!is_told) await here.route('**/dashboard/**', (route) => route.abort());
  await here.goto(await requestOneTimeLink(world.service.stack.env, 'grace'));
  await here.getByRole('button', { name: 'Sign in' }).click();
  await there.getByRole('heading', { name: 'Welcome' }).waitFor();
  t.is(there.url(), at(world, '/'), 'without what the address asked for');
  t.is(await there.getByText(KEY_NAME).count(), 0);
  t.is(await there.getByRole('dialog').count(), 0);
  await moveTo(there, ofTeam(world, '/keys'));
  await there
    .getByText(/There is no such team|not a user of this service/)
    .first()
    .waitFor();
  t.is(await there.getByText(KEY_NAME).count(), 0);
  await context.close();
};

test.serial('the dashboard shows no data of the former user after another person signs in', (t) =>
  anotherPerson(t, true),
);

test.serial("the former user's data also disappears if the stream of changes is refused", (t) =>
  anotherPerson(t, false),
);

test.serial('a sign-out in one tab signs out all tabs', async (t) => {
  const world = await worldOf(t);
  const context = await world.browser.newContext();
  context.setDefaultTimeout(PAGE_WITHIN_MS);
  const [here, there] = [await context.newPage(), await context.newPage()];
  await here.goto(at(world, '/'));
  await signIn(here);
  await here.getByRole('heading', { name: 'Overview' }).waitFor();
  await there.goto(ofTeam(world, '/keys'));
  await there.getByRole('cell', { name: KEY_NAME }).first().waitFor();
  await here.getByRole('button', { name: 'Sign out' }).click();
  await there.getByRole('link', { name: 'Sign in' }).waitFor();
  t.is(await there.getByText(KEY_NAME).count(), 0);
  await context.close();
});

const MAX_BYTES = 350 * 1_024;

test.serial("the dashboard's files are small, cached as immutable and closed to other origins", async (t) => {
  const world = await worldOf(t);
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
    const file = await fetch(`${originOf(world)}${path}`);
    t.is(file.status, 200, path);
    t.is(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.is(file.headers.get('x-content-type-options'), 'nosniff');
    bytes += gzipSync(Buffer.from(await file.arrayBuffer())).length;
  }
  // The typeface of the first page; browsers load the other scripts only if a page shows them.
  const styles = await (await fetch(`${originOf(world)}${loaded.find((path) => path.endsWith('.css'))}`)).text();
  const [typeface = ''] = /\/dashboard\/assets\/inter-latin-wght[^)"']+/.exec(styles) ?? [];
  const font = await fetch(`${originOf(world)}${typeface}`);
  t.is(font.headers.get('content-type'), 'font/woff2');
  bytes += (await font.arrayBuffer()).byteLength;
  t.true(bytes < MAX_BYTES, `${bytes} bytes`);
  for (const path of [
    '/dashboard/assets/..%2f..%2fpackage.json',
    '/dashboard/assets/%2e%2e/index.html',
    '/dashboard/assets/none.js',
  ]) {
    const answer = await fetch(`${originOf(world)}${path}`);
    t.false((await answer.text()).includes('video-rendering-service'), path);
  }
});

/** Opens the dialog, checks it, types the text that it requires, and confirms. */
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
    await pollUntil('the dialog rests', async () => (await fits(page)) && (await rests(page)));
    t.deepEqual(await violations(page, '.mantine-Modal-body'), [], `${label} ${colorScheme}`);
    await picture(page, `${label.toLowerCase().replaceAll(' ', '-')}-${colorScheme}`);
  }
  await typed.fill(text);
  await erase.click();
};

// The last test, because it erases the account of the others.
test.serial('an owner erases the account and then their user, and loses all access', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { clients, seeded } = world.service;
  const { account_id, team_id, user_id } = seeded;
  const read_model = catalogueReadModel(clients.store.db);
  const account = await read_model.find('account', account_id);
  const owner = await signedInBy(world, DEMO_PERSON);
  await owner.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await owner.page.goto(at(world, `/accounts/${account_id}`));
  await erasedOn(t, owner.page, 'Erase account', 'the name of the account', account?.name ?? '');
  await pollUntil('it has no members', async () => {
    const [members, owners] = [await read_model.membersOf(team_id), await read_model.ownersOf(account_id)];
    return members.length + owners.length === 0;
  });
  t.is((await postRender(world, seeded.api_key, { project_id: 'proj_none', name: 'Late' })).status, 401);
  await owner.close();

  const nobody = await signedInBy(world, DEMO_PERSON);
  await nobody.page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await nobody.page.goto(at(world, '/sessions'));
  await erasedOn(t, nobody.page, 'Erase your user', 'your user ID', user_id);
  await nobody.page.getByRole('link', { name: 'Sign in' }).waitFor();
  await pollUntil('that user can no longer sign in', async () => {
    const linked = await read_model.find('user_identities', user_id);
    return linked?.identity_ids.length === 0;
  });
  await nobody.close();
});
