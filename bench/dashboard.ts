import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as t from 'io-ts';
import type { BrowserContext, Page } from 'playwright-core';
import type { STARTER_IDS } from '../catalogue/starters/starters.ts';
import { linkPeople } from '../demo/link-people.ts';
import type { SeededEntities } from '../demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import { requestOneTimeLink } from '../stack/provider/server.ts';
import { openChromium } from '../stack/testing/chromium.ts';
import { resolveLocalhostNames } from '../stack/testing/localhost-names.ts';
import { pollUntil } from '../stack/testing/until.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';

const PAGE_TIMEOUT_MS = 120_000;
const CHANGES = 10;
const SHOWN_STARTERS = ['promo', 'birthday'] as const satisfies readonly (typeof STARTER_IDS)[number][];
const TYPING_MS = 40;
const ROWS = 1_000;
const CHECKED_AT_ONCE = 100;
const ORDERED_AT_ONCE = 50;
const RETRY_MS = 1_000;
const LETTERS = 6;

const Project = t.type({ id: t.string });
const Templates = t.type({ data: t.array(t.type({ id: t.string })) });
const Rows = t.type({ data: t.array(t.unknown) });

type Person = {
  readonly page: Page;
  readonly address: (path: string) => string;
  /** Sends a request of the person with the session of the browser, without the page. */
  readonly ask: <A>(codec: t.Decoder<unknown, A>, path: string, body?: object) => Promise<A>;
};

const asker = (origin: string, team_id: string, context: BrowserContext): Person['ask'] => {
  return async (codec, path, body) => {
    const cookies = (await context.cookies(origin)).map(({ name, value }) => `${name}=${value}`);
    for (;;) {
      const answer = await fetch(`${origin}/manage/v1/teams/${team_id}/${path}`, {
        headers: { Cookie: cookies.join('; '), Origin: origin, 'Content-Type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      const json: unknown = await answer.json();
      const decoded = codec.decode(json);
      if (answer.ok && decoded._tag === 'Right') return decoded.right;
      if (answer.status !== 429 && answer.status !== 503)
        throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(json).slice(0, 500)}`);
      await pause(RETRY_MS);
    }
  };
};

const withPerson = async <A>(
  stack: Stack,
  seeded: SeededEntities,
  work: (person: Person) => Promise<A>,
): Promise<A> => {
  resolveLocalhostNames();
  await linkPeople(stack.env, seeded);
  const browser = await openChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    await page.goto(await requestOneTimeLink(stack.env, 'ada'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    const { origin } = new URL(page.url());
    const { team_id } = seeded;
    const address = (path: string): string => `${origin}/dashboard/teams/${team_id}/${path}`;
    return await work({ page, address, ask: asker(origin, team_id, context) });
  } finally {
    await browser.close();
  }
};

/**
 * In the page: collects the times from the last input until the next picture is decoded and painted. Without a change
 * of the values there is no new picture.
 */
const MEASURE = `(() => {
  const box = document.querySelector('.preview');
  const times = [];
  let last = 0;
  let seen = box.querySelector('img').src;
  document.addEventListener('input', () => { last = performance.now(); }, true);
  new MutationObserver(async () => {
    const image = box.querySelector('img');
    const began = last;
    if (image === null || began === 0 || seen === image.src) return;
    seen = image.src;
    await image.decode();
    requestAnimationFrame(() => setTimeout(() => {
      if (last === began) times.push(performance.now() - began);
    }));
  }).observe(box, { subtree: true, childList: true, attributes: true, attributeFilter: ['src'] });
  window.drawnTimes = () => times;
})()`;

/** The inputs of texts: not of numbers, choices, colours and the name of the video. */
const TEXTS = 'textarea, input:not([type], [inputmode], [readonly], [spellcheck=false], [maxlength="250"], [role])';

const drawnTimes = async (page: Page): Promise<readonly number[]> => await page.evaluate('window.drawnTimes()');

/** Types other words into the texts of a template, one after the other. */
const typed = async ({ page, address }: Person, project_id: string): Promise<readonly number[]> => {
  await page.goto(address(`projects/${project_id}/new-video`));
  await page.locator('.preview img').waitFor();
  await page.locator('.preview[aria-busy=false]').waitFor();
  await page.evaluate(MEASURE);
  const inputs = await page.locator('.new-video-fields').locator(TEXTS).all();
  if (inputs.length === 0) throw new Error('the template has no texts');
  for (let n = 0; n < CHANGES; n += 1) {
    const input = inputs[n % inputs.length];
    await input?.press('Control+a');
    await input?.pressSequentially(randomUUID().slice(0, LETTERS), { delay: TYPING_MS });
    // The policy of the page forbids waitForFunction.
    await pollUntil('the still shows the change', async () => (await drawnTimes(page)).length > n, PAGE_TIMEOUT_MS);
  }
  return await drawnTimes(page);
};

/** The time from the last key press until the still of New video shows the change, in a browser. */
export const benchPreview = (stack: Stack, seeded: SeededEntities): Promise<readonly BenchmarkResult[]> =>
  withPerson(stack, seeded, async (person) => {
    const times: number[] = [];
    for (const starter of SHOWN_STARTERS) {
      const { id } = await person.ask(Project, 'projects', { starter });
      times.push(...(await typed(person, id)));
    }
    const figure = [0.5, 0.95].map((share) => `p${share * 100} ${millisecondsText(quantile(times, share))}`).join(', ');
    return [[`${times.length} changes of New video, from the last key press`, figure, 'p95 under 500 ms']];
  });

const secondsText = (began: number): string => `${((performance.now() - began) / 1_000).toFixed(1)} s`;

/** Checks and orders a sheet with the batches of the page. */
export const benchSheet = (stack: Stack, seeded: SeededEntities): Promise<readonly BenchmarkResult[]> =>
  withPerson(stack, seeded, async ({ ask }) => {
    const { id: project_id } = await ask(Project, 'projects', { starter: 'promo' });
    const [template] = (await ask(Templates, `projects/${project_id}/templates`)).data;
    const of_template = { project_id, template_id: template?.id };
    const rows = Array.from({ length: ROWS }, (_, n) => ({ headline: `Row ${n}` }));
    const check_began = performance.now();
    const waiting = [...rows];
    let checked = 0;
    // As the page does: a request checks the first rows of its batch, as many as it has time for.
    const checkNext = async (): Promise<void> => {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, CHECKED_AT_ONCE);
        const { data } = await ask(Rows, 'projects/check/batch', {
          ...{ ...of_template, rows: batch.map((values) => ({ values })) },
        });
        checked += data.length;
        waiting.unshift(...batch.slice(data.length));
      }
    };
    await Promise.all([checkNext(), checkNext()]);
    const checks = secondsText(check_began);
    if (checked !== ROWS) throw new Error(`${checked} rows were checked`);
    const post_began = performance.now();
    const run = randomUUID();
    for (let at = 0; at < ROWS; at += ORDERED_AT_ONCE) {
      const renders = rows.slice(at, at + ORDERED_AT_ONCE).map((values, n) => ({
        ...{ ...of_template, values, name: `Row ${at + n}`, idempotency_key: `${run}-${at + n}` },
      }));
      await ask(Rows, 'renders/batch', { renders });
    }
    return [
      [`checks of a sheet of ${ROWS} rows, over HTTP`, checks, 'under 5 s'],
      [`  orders of its rows, ${ORDERED_AT_ONCE} at once`, secondsText(post_began), ''],
    ];
  });
