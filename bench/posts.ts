import type { Seeded } from '../demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import { freePort } from '../stack/process/ports.ts';
import { withBareServer } from './bare-server.ts';
import type { Figure } from './figures.ts';
import { CONNECTIONS, load, type Requests, shown } from './load.ts';
import { renderBody, renderHeaders } from './post-render.ts';

const DURATION_S = 10;
const ROUNDS = 4;
const ROUND_S = 5;

/** A name costs a blob; one with values has that anyway. In turns, as the machine is not the same for long. */
const besideNamesInTheLog = async (stack: Stack, post: Omit<Requests, 'url'>): Promise<readonly Figure[]> => {
  const env = { ...stack.env, RENDER_FOLD_VERSION: '2', HEALTH_PORT: String(await freePort()), LOG_LEVEL: 'error' };
  return await withBareServer('../command-api/main.ts', env, async (before_url) => {
    const after_url = `${stack.component('command-api').url}/v1/renders`;
    let [with_names, without] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      without += (await load({ url: `${before_url}v1/renders`, ...post }, ROUND_S)).per_second;
      with_names += (await load({ url: after_url, ...post }, ROUND_S)).per_second;
    }
    const figure = `${(with_names / ROUNDS).toFixed(0)}/s, ${(without / ROUNDS).toFixed(0)}/s with names in the log`;
    return [
      ['POST without values, its name in Blob', `${figure}: ${(with_names / without).toFixed(2)}`, 'at least 0.9'],
    ];
  });
};

/** POST /v1/renders at 32 connections, through the gateway and without it, beside a bare restify route. */
export const benchPosts = async (stack: Stack, seeded: Seeded): Promise<readonly Figure[]> =>
  await withBareServer('./bare-route/main.ts', {}, async (bare_url) => {
    const post = { method: 'POST' as const, headers: renderHeaders(seeded), body: renderBody(seeded, 'Bench') };
    const plain = await load({ url: bare_url, ...post }, DURATION_S);
    const direct = await load({ url: `${stack.component('command-api').url}/v1/renders`, ...post }, DURATION_S);
    const whole = await load({ url: `${stack.base_url}/v1/renders`, ...post }, DURATION_S);
    const ratio = (direct.per_second / plain.per_second).toFixed(2);
    return [
      ...(await besideNamesInTheLog(stack, post)),
      [`bare restify route, ${CONNECTIONS} connections`, shown(plain), ''],
      ['POST /v1/renders, command API', `${shown(direct)} (${ratio} of bare)`, ''],
      ['POST /v1/renders, through the gateway', shown(whole), ''],
    ];
  });
