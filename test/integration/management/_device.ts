import type { Browser } from './_browser.ts';

/**
 * Enters the code at the provider, and then approves as a person or denies.
 *
 * @returns the text of the last page
 */
export const answerAtProvider = async (
  browser: Browser,
  page: string,
  user_code: string,
  choice: { readonly approve_as: string } | 'deny',
): Promise<string> => {
  const submit = (fields: Readonly<Record<string, string>>) =>
    browser.ask(page, { method: 'POST', body: new URLSearchParams(fields) });
  const shown = await (await browser.ask(page)).text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(shown)?.[1] ?? '';
  const confirm = await (await submit({ xsrf, user_code })).text();
  if (!confirm.includes(user_code)) throw new Error(`the page does not show the code: ${confirm}`);
  const fields = { xsrf, user_code, confirm: 'yes' };
  if (choice === 'deny') return await (await submit({ ...fields, abort: 'yes' })).text();
  const confirmed = await submit(fields);
  const people = new URL(confirmed.headers.get('location') ?? '', page).href;
  const chosen = await browser.ask(`${people}/${choice.approve_as}`, { method: 'POST' });
  return await (await browser.ask(new URL(chosen.headers.get('location') ?? '', page).href)).text();
};
