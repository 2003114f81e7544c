import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { createKey } from '../../../catalogue/keys.ts';
import { renameTeam } from '../../../catalogue/teams.ts';
import { linkPeople } from '../../../demo/link-people.ts';
import { seedDemo } from '../../../demo/seed.ts';
import { requestOneTimeLink } from '../../../stack/provider/server.ts';
import { openChromium } from '../../../stack/testing/chromium.ts';
import { type HttpsReceiver, startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { resolveLocalhostNames } from '../../../stack/testing/localhost-names.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { localCertificate } from '../../../stack/tls/kept-certificates.ts';
import { testCatalogue } from '../../helpers/test-catalogue.ts';
import { type Answer, postJson, untilServed } from '../../integration/api/_client.ts';
import { LONG, SHORT } from '../_films.ts';
import { importFilm, type Service } from '../_service.ts';
import { type Common, test } from '../service/_service-in-common.ts';
import { type Watched, watch } from './_watched.ts';

export type World = {
  readonly service: Service;
  readonly project_id: string;
  readonly long_project_id: string;
  readonly receiver: HttpsReceiver;
  readonly browser: Browser;
  readonly page: Page;
};

/** The folder for screenshots with presentable names. If it is unset, no screenshots are taken. */
export const { SCREENSHOTS } = process.env;
export const HOSTILE = '<img src=x onerror=document.title=1>';
export const named = (name: string): string => (SCREENSHOTS === undefined ? HOSTILE : name);
export const TEAM_NAME = named('Marketing');
export const PROJECT_NAME = named('Product card');
export const KEY_NAME = named('Newsletter');
export const RENDER_NAME = named('Winter sale');
export const FILM_NAME = named('Winter trails');
export const ANSWER = named('{"received":true}');

resolveLocalhostNames();

/** The maximum time for a page to show something on the busiest machine. */
export const PAGE_WITHIN_MS = 90_000;

export const originOf = ({ service }: World): string => service.stack.env.PUBLIC_URL ?? '';
export const at = (world: World, path: string): string => `${originOf(world)}/dashboard${path}`;
export const ofTeam = (world: World, path: string): string =>
  at(world, `/teams/${world.service.seeded.team_id}${path}`);

let opening: Promise<World> | undefined;

const opened = async (common: Service): Promise<World> => {
  const { stack, folder } = common;
  // A separate account, because its owner erases it.
  const seeded = await seedDemo({ env: stack.env, seeded_path: join(folder, 'dashboard.json') });
  const service = { ...common, seeded };
  await linkPeople(stack.env, seeded);
  const project_id = await importFilm(service, PROJECT_NAME, SHORT);
  const long_project_id = await importFilm(service, 'Long', LONG);
  const catalogue = testCatalogue(service.clients);
  const { account_id, team_id } = seeded;
  await renameTeam(catalogue, team_id, TEAM_NAME);
  await createKey(catalogue, { account_id, user_id: null, team_ids: [team_id], name: KEY_NAME, expires_at: null });
  const certificate = localCertificate(stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const receiver = await startHttpsReceiver({ certificate });
  closing.push(() => receiver.close());
  const browser = await openChromium();
  watched = watch(browser, join(folder, 'data', 'logs'));
  closing.push(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(PAGE_WITHIN_MS);
  return { service, project_id, long_project_id, receiver, browser, page };
};

export const worldOf = ({ context }: ExecutionContext<Common>): Promise<World> => {
  opening ??= opened(context.service);
  return opening;
};

const closing: (() => Promise<void>)[] = [];
let watched: Watched | undefined;

test.afterEach.always(async (t) => {
  if (!t.passed) for (const line of (await watched?.tell()) ?? []) t.log(line);
});

test.after.always(async (t) => {
  t.timeout(450_000);
  for (const close of closing.toReversed()) await close();
});

export const signIn = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /Ada/ }).click();
};

export const postRender = ({ service }: World, api_key: string, body: object): Promise<Answer> =>
  untilServed(() => postJson(`${service.stack.base_url}/v1/renders`, api_key, body));

export const shown = async (page: Page, label: string): Promise<string> =>
  (await page.getByRole('dialog').locator('pre', { hasText: label }).first().textContent())?.trim() ?? '';

/** Asserts that no part of {@link HOSTILE} became an element of the page or ran. */
export const onlyText = async (t: ExecutionContext<Common>, page: Page, why: string): Promise<void> => {
  t.is(await page.locator('img[src="x"]').count(), 0, why);
  t.not(await page.title(), '1', why);
};

/** A link of the menu. Breadcrumbs have links of the same name. */
export const menu = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

/** Opens a browser and signs a person in by a one-time link. */
export const signedInBy = async ({ browser, service }: World, person: string) => {
  const link = await requestOneTimeLink(service.stack.env, person);
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_WITHIN_MS);
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return { page, link, close: () => context.close() };
};

/**
 * Presses the button of a dialog until `shown` appears. If the dialog reports a fault, it presses again, because on a
 * busy machine the read model may be behind.
 */
export const pressUntil = async (t: ExecutionContext<Common>, button: Locator, shown: Locator): Promise<void> => {
  const fault = button.page().getByRole('dialog').getByRole('alert');
  for (let i = 0; i < 5; i += 1) {
    await button.click();
    await shown.or(fault).first().waitFor();
    if (await shown.isVisible()) return;
    t.log(`pressed again: ${await fault.textContent()}`);
  }
  await shown.waitFor();
};

/** The axe rules that a theme affects, for a page that passed all rules in its other theme. */
export const COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

export const violations = async (page: Page, within = 'html', options: object = {}): Promise<readonly unknown[]> => {
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

export const WIDE = { width: 1_280, height: SCREENSHOTS === undefined ? 800 : 1_100 };
export const PHONE = { width: 390, height: SCREENSHOTS === undefined ? 844 : 1_100 };

export const rests = async (page: Page): Promise<boolean> =>
  await page.evaluate(`
    document.documentElement.dataset.mantineColorScheme === (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
    && document.getAnimations().every((one) => one.effect.getComputedTiming().endTime === Infinity)`);

export const picture = async (page: Page, name: string): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await pollUntil('videos have loaded their first frames', async () =>
    Boolean(
      await page.evaluate(
        `Array.from(document.querySelectorAll('video')).every(({ readyState, networkState }) =>
          readyState > 1 && networkState === HTMLMediaElement.NETWORK_IDLE)`,
      ),
    ),
  );
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
};

export const fits = async (page: Page): Promise<boolean> =>
  await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
