import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Request } from 'playwright-core';

const MAX_LINES = 60;
const MAX_TEXT = 1_500;
const MAX_LOG_LINES = 15;

export type Watched = { readonly tell: () => Promise<readonly string[]> };

const lastLines = async (folder: string): Promise<readonly string[]> =>
  (
    await Promise.all(
      (
        await readdir(folder)
      ).map(async (name) => {
        const lines = (await readFile(join(folder, name), 'utf8')).trim().split('\n');
        return [`${name}:`, ...lines.slice(-MAX_LOG_LINES)];
      }),
    )
  ).flat();

/**
 * Records the last requests of all pages that the browser opens from now on.
 *
 * @param logs the folder of the service's logs
 */
export const watch = (browser: Browser, logs: string): Watched => {
  const began = Date.now();
  const lines = new Map<Request, string>();
  const at = () => `${Date.now() - began} ms`;
  const end = (request: Request, how: string): void => {
    const line = lines.get(request);
    if (line !== undefined) lines.set(request, `${line}, ${at()}: ${how}`);
  };
  browser.on('context', (context) => {
    context.on('request', (request) => {
      const [oldest] = lines.keys();
      if (lines.size >= MAX_LINES && oldest !== undefined) lines.delete(oldest);
      lines.set(request, `${at()} ${request.method()} ${request.url().slice(0, 300)}`);
    });
    context.on('response', async (response) => {
      end(response.request(), String(response.status()));
      if (response.status() >= 400) end(response.request(), await response.text().catch(String));
    });
    context.on('requestfailed', (request) => end(request, request.failure()?.errorText ?? 'failed'));
  });
  const shown = async (): Promise<readonly string[]> => {
    const pages = browser.contexts().flatMap((context) => context.pages());
    return await Promise.all(
      pages.map(async (page) => {
        const text = await page.locator('main, [role=dialog]').last().ariaSnapshot({ timeout: 5_000 });
        return `${page.url()} shows:\n${text.slice(0, MAX_TEXT)}`;
      }),
    );
  };
  return {
    tell: async () => [
      ...lines.values(),
      `it is ${at()}`,
      ...(await shown().catch((error) => [String(error)])),
      ...(await lastLines(logs).catch((error) => [String(error)])),
    ],
  };
};
