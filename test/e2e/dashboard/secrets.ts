import type { ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { Page, Response } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { removeMember } from '../../../catalogue/members.ts';
import { removeOwner } from '../../../catalogue/owners.ts';
import { DEMO_PERSON } from '../../../demo/link-people.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { testCatalogue } from '../../helpers/test-catalogue.ts';
import { bearer, send } from '../../integration/api/_client.ts';
import { TEMPLATE } from '../_films.ts';
import { type Common, test } from '../service/_service-in-common.ts';
import {
  fits,
  menu,
  ofTeam,
  PHONE,
  picture,
  postRender,
  rests,
  SCREENSHOTS,
  shown,
  signedInBy,
  violations,
  WIDE,
  type World,
  worldOf,
} from './_world.ts';

const secretDialog = (page: Page) =>
  page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'I copied it' }) });

const secretOf = async (page: Page, text: string): Promise<string> => {
  await secretDialog(page).waitFor();
  return await shown(page, text);
};

/** Waits until a list is read whose request starts after this call. */
const readAgain = async (page: Page, list: RegExp): Promise<void> => {
  let reads = 0;
  const count = (one: Response): void => {
    if (one.request().method() === 'GET' && list.test(one.url())) reads += 1;
  };
  page.on('response', count);
  await pollUntil('the list is read again', async () => {
    // A list that was read within the last second is not read again when the tab becomes visible.
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    return reads > 0;
  });
  page.off('response', count);
};

/** Asserts that the dialog stays until its button is pressed. */
const stays = async (t: ExecutionContext<Common>, world: World, page: Page, list: RegExp): Promise<void> => {
  const dialog = secretDialog(page);
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 400);
  const { project_id, service } = world;
  // The stream announces the render, and the pages read again.
  const film = { project_id, template_id: TEMPLATE, values: { title: 'Streamed' }, name: 'Announced by the stream' };
  t.is((await postRender(world, service.seeded.api_key, film)).status, 201);
  await readAgain(page, list);
  await page.goBack();
  t.true(await dialog.isVisible(), 'another page is below the dialog');
  await page.goForward();
  const asked: string[] = [];
  page.once('dialog', (prompt) => {
    asked.push(prompt.type());
    void prompt.dismiss();
  });
  await page.evaluate('window.location.reload()');
  await pollUntil('the browser asks before it leaves the page', async () => asked.length > 0);
  t.deepEqual(asked, ['beforeunload']);
  t.true(await dialog.isVisible());
};

const looksWell = async (t: ExecutionContext<Common>, page: Page, name: string): Promise<void> => {
  for (const colorScheme of ['dark', 'light'] as const)
    for (const [form, size] of [
      ['phone', PHONE],
      ['wide', WIDE],
    ] as const) {
      // A theme changes only colours, so each theme and each size is checked once. For screenshots, all four
      // combinations run.
      if (SCREENSHOTS === undefined && (colorScheme === 'dark') !== (form === 'phone')) continue;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await pollUntil('the dialog has stopped moving', async () => (await fits(page)) && (await rests(page)));
      t.deepEqual(await violations(page, '.mantine-Modal-body'), [], `${name} ${colorScheme}`);
      await picture(page, `${name}-${colorScheme}-${form}`);
    }
};

const copied = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'I copied it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

const statusOf = async ({ service }: World, key: string): Promise<number> =>
  (await send(`${service.stack.base_url}/v1/projects`, { headers: bearer(key) })).status;

test.serial('a new or rotated API key is shown until it is copied, and works', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await menu(page, 'API keys').click();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('till');
  await page.getByRole('button', { name: 'Create key' }).click();
  const list = /\/keys\?/;
  await stays(t, world, page, list);
  const first = await secretOf(page, 'vr_');
  await looksWell(t, page, 'secret-key');
  t.is(await statusOf(world, first), 200);
  await copied(page);

  const row = page.getByRole('row', { name: 'till' });
  await row.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  // The old key's row has no button to rotate it now, and the new key has a row.
  await secretDialog(page).waitFor();
  await pollUntil('both keys are listed', async () => (await row.count()) === 2);
  await stays(t, world, page, list);
  const second = await secretOf(page, 'vr_');
  t.not(second, first);
  t.deepEqual([await statusOf(world, second), await statusOf(world, first)], [200, 200], 'both keys work for a day');
  await copied(page);

  await row.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('combobox', { name: 'The old key expires' }).click();
  await page.getByRole('option', { name: 'Immediately' }).click();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const third = await secretOf(page, 'vr_');
  t.is(await statusOf(world, third), 200);
  await pollUntil('the old key has ended', async () => (await statusOf(world, second)) === 401);
  await copied(page);
  await close();
});

test.serial('a new or rotated endpoint secret is shown until copied, and verifies deliveries', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { receiver } = world;
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  receiver.answer('/till', { tag: 'answer', status: 200 });
  const testVerifies = async (secret: string): Promise<void> => {
    const before = receiver.receivedAt('/till').length;
    const tests = page.getByRole('table', { name: 'Deliveries' }).locator('.mark', { hasText: /^test$/ });
    const listed = await tests.count();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click();
    const began = Date.now();
    await pollUntil('the test is listed, without a reload', async () => (await tests.count()) > listed);
    t.log(`a test is listed after ${Date.now() - began} ms`);
    await pollUntil('the test is delivered', async () => receiver.receivedAt('/till').length > before);
    const { headers, body } = receiver.receivedAt('/till').at(-1) ?? t.fail();
    await page
      .getByRole('table', { name: 'Deliveries' })
      .locator('.mark', { hasText: 'succeeded' })
      .nth(listed)
      .waitFor();
    t.log(`its outcome is listed after ${Date.now() - began} ms`);
    t.notThrows(() =>
      new Webhook(secret).verify(body, Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)]))),
    );
  };

  await menu(page, 'Webhooks').click();
  await page.getByRole('button', { name: 'Create an endpoint' }).click();
  await page.getByLabel('URL').fill(`${receiver.origin}/till`);
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  await stays(t, world, page, /\/endpoints$/);
  const first = await secretOf(page, 'whsec_');
  await looksWell(t, page, 'secret-endpoint');
  await copied(page);
  await page.getByRole('link', { name: `${receiver.origin}/till` }).click();
  await testVerifies(first);

  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create new secret' }).click();
  await stays(t, world, page, /\/endpoints\/[^/]+$/);
  const second = await secretOf(page, 'whsec_');
  t.not(second, first);
  await copied(page);
  await testVerifies(second);

  const state = page.locator('main .mark').first();
  for (const [action, word] of [
    ['Disable', 'disabled'],
    ['Enable', 'enabled'],
  ] as const) {
    await page.getByRole('button', { name: action, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
    const began = Date.now();
    await pollUntil('the endpoint has its new state', async () => (await state.textContent()) === word);
    t.log(`${word} after ${Date.now() - began} ms`);
  }
  await close();
});

test.serial('the links of invitations stay until they are copied, and grant the role', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { service } = world;
  const { account_id, team_id } = service.seeded;
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const grace = await signedInBy(world, 'grace');
  await grace.page.getByRole('heading', { name: 'Welcome' }).waitFor();
  const accept = async (link: string): Promise<void> => {
    await grace.page.goto(link);
    await grace.page
      .getByText(/^(Ada \()?demo@example\.org\)? invites you to become (a member of the team|an owner of)/)
      .waitFor();
    await grace.page.getByRole('button', { name: 'Accept invitation' }).click();
    await grace.page.waitForURL((url) => !url.pathname.endsWith('/invitation'));
  };

  await menu(page, 'People').click();
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  await stays(t, world, page, /\/invitations\?/);
  const to_team = await secretOf(page, '/dashboard/invitation#');
  await looksWell(t, page, 'secret-invitation');
  await copied(page);
  await accept(to_team);
  await grace.page.getByRole('heading', { level: 1, name: 'Renders' }).waitFor();

  await menu(page, 'Account').click();
  await page.getByRole('button', { name: 'Invite an owner' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  await stays(t, world, page, /\/invitations\?/);
  const to_account = await secretOf(page, '/dashboard/invitation#');
  t.not(to_account, to_team);
  await copied(page);
  await accept(to_account);
  await page.getByRole('table', { name: 'Owners' }).waitFor();
  const catalogue = testCatalogue(service.clients);
  const owners = await catalogue.read_model.ownersOf(account_id);
  t.is(owners.length, 2);
  for (const { user_id } of owners.filter((one) => one.user_id !== service.seeded.user_id)) {
    t.true(E.isRight(await removeOwner(catalogue, { account_id, user_id })));
    t.true(E.isRight(await removeMember(catalogue, { team_id, user_id })));
  }
  await grace.close();
  await close();
});

const growStale = async ({ service }: World): Promise<void> => {
  const { user_id } = service.seeded;
  const sessions = service.clients.store.db.collection('sessions');
  await sessions.updateMany({ user_id }, { $set: { auth_time: Date.now() - 86_400_000 } });
};

test.serial('a person with an old sign-in signs in again and returns to the page', async (t) => {
  t.timeout(450_000);
  const world = await worldOf(t);
  const { project_id } = world;
  const { page, close } = await signedInBy(world, DEMO_PERSON);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await growStale(world);
  await page.goto(ofTeam(world, `/projects/${project_id}`));
  const erase = page.getByRole('button', { name: 'Erase project' });
  const again = page.getByRole('dialog').getByRole('link', { name: 'Sign in' });
  // Retries, because the process caches the session for a second.
  await pollUntil('a sign-in is requested', async () => {
    await page.reload();
    await erase.click();
    await page.getByRole('dialog').waitFor();
    return await again.isVisible();
  });
  await looksWell(t, page, 'sign-in-once-more');
  await again.click();
  await page.getByRole('button', { name: /Ada/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase this project permanently?' });
  await dialog.waitFor();
  t.is(new URL(page.url()).pathname, new URL(ofTeam(world, `/projects/${project_id}`)).pathname);

  const name = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
  await growStale(world);
  await dialog.getByLabel('Type the name of the project').fill(name);
  const refused = dialog.getByRole('link', { name: 'Sign in again' });
  await pollUntil('the server has read the session', async () => {
    const status = await page.evaluate(
      `fetch('/manage/v1/session').then((one) => one.json()).then(({ fresh_until }) => fresh_until)`,
    );
    return Number(status) < Date.now();
  });
  await dialog.getByRole('button', { name: 'Erase project' }).click();
  await refused.click();
  await page.getByRole('button', { name: /Ada/ }).click();
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.goto(ofTeam(world, '/people'));
  await growStale(world);
  await pollUntil('leaving a team needs a recent sign-in too', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').waitFor();
    return await again.isVisible();
  });
  await close();
});
