import type { SeededEntities } from '../demo/seeded.ts';
import { FOLD_VERSION } from '../domain/render/fold.ts';
import type { Stack } from '../stack/launcher.ts';
import { freePort } from '../stack/process/ports.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { withBareServer } from './bare-server.ts';
import type { BenchmarkResult } from './figures.ts';
import { CONNECTIONS, loadResultText, runLoad } from './load.ts';
import { renderBody, renderBodyWithValues, renderHeaders } from './post-render.ts';
import { waitUntilFolded } from './until-folded.ts';

const DURATION_S = 10;
const ROUNDS = 4;
/**
 * POSTs to each server in each round. Both servers get the same number: each POST leaves a waiting render, and the
 * store counts these from time to time.
 */
const ROUND_POSTS = 2_000;
/** A busy store refuses some POSTs with 503. With more refusals than this, the round would measure refusals. */
const MAX_REFUSED = ROUND_POSTS / 100;

type Urls = { readonly named: string; readonly sealed: string };

/** Two command APIs that differ only in the fold version of new renders. */
const withCommandApis = async <A>(stack: Stack, work: (urls: Urls) => Promise<A>): Promise<A> => {
  const withApi = async <B>(fold_version: number, own: (url: string) => Promise<B>): Promise<B> => {
    const health = { HEALTH_PORT: String(await freePort()), LOG_LEVEL: 'error' };
    const env = { ...stack.env, RENDER_FOLD_VERSION: String(fold_version), ...health };
    return await withBareServer('../command-api/main.ts', env, own);
  };
  return await withApi(2, (named) => withApi(FOLD_VERSION, (sealed) => work({ named, sealed })));
};

/**
 * Compares POSTs that seal the render's name and values with POSTs that store the name in the log and the values in
 * Blob. The two alternate, because the machine's load changes. Each begins after the projectors have folded the previous
 * round.
 */
export const benchSealed = async (
  stack: Stack,
  seeded: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const headers = renderHeaders(seeded);
  return await withCommandApis(stack, async (urls) => {
    const secondsOf = async (url: string, body: string): Promise<number> => {
      await waitUntilFolded(clients);
      const posts = { url: `${url}v1/renders`, method: 'POST', headers, body, amount: ROUND_POSTS } as const;
      const { per_second, refused } = await runLoad(posts, DURATION_S, 0);
      if (refused > MAX_REFUSED) throw new Error(`${refused} of ${ROUND_POSTS} were refused`);
      return ROUND_POSTS / per_second;
    };
    const figures: BenchmarkResult[] = [];
    for (const [what, body] of [
      ['POST without values', renderBody(seeded, 'Bench')],
      ['POST with values', renderBodyWithValues(seeded, 'Bench')],
    ] as const) {
      let [named, sealed] = [0, 0];
      for (let round = 0; round < ROUNDS; round += 1) {
        // The sides change places in each round, because the store gets slower as waiting renders accumulate.
        if (round % 2 === 1) sealed += await secondsOf(urls.sealed, body);
        named += await secondsOf(urls.named, body);
        if (round % 2 === 0) sealed += await secondsOf(urls.sealed, body);
      }
      const perSecond = (seconds: number): string => `${((ROUNDS * ROUND_POSTS) / seconds).toFixed(0)}/s`;
      const figure = `${perSecond(sealed)}, ${perSecond(named)} with names in the log`;
      figures.push([`${what}, sealed`, `${figure}: ${(named / sealed).toFixed(2)}`, 'at least 0.9']);
    }
    return figures;
  });
};

/** POST /v1/renders at 32 connections, through the gateway and directly, compared with a bare restify route. */
export const benchPosts = async (
  stack: Stack,
  seeded: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> =>
  await withBareServer('./bare-route/main.ts', {}, async (bare_url) => {
    const post = { method: 'POST' as const, headers: renderHeaders(seeded), body: renderBody(seeded, 'Bench') };
    const plain = await runLoad({ url: bare_url, ...post }, DURATION_S);
    const direct = await runLoad({ url: `${stack.component('command-api').url}/v1/renders`, ...post }, DURATION_S);
    await waitUntilFolded(clients);
    const whole = await runLoad({ url: `${stack.base_url}/v1/renders`, ...post }, DURATION_S);
    const ratio = (direct.per_second / plain.per_second).toFixed(2);
    return [
      [`bare restify route, ${CONNECTIONS} connections`, loadResultText(plain), ''],
      ['POST /v1/renders, command API', `${loadResultText(direct)} (${ratio} of bare)`, ''],
      ['POST /v1/renders, through the gateway', loadResultText(whole), ''],
    ];
  });
