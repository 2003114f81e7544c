import type { Seeded } from '../demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import { withBareServer } from './bare-server.ts';
import type { Figure } from './figures.ts';
import { CONNECTIONS, load, shown } from './load.ts';
import { renderBody, renderHeaders } from './post-render.ts';

const DURATION_S = 10;

/** POST /v1/renders at 32 connections, through the gateway and without it, beside a bare restify route. */
export const benchPosts = async (stack: Stack, seeded: Seeded): Promise<readonly Figure[]> =>
  await withBareServer('./bare-route/main.ts', {}, async (bare_url) => {
    const post = { method: 'POST' as const, headers: renderHeaders(seeded), body: renderBody(seeded, 'Bench') };
    const plain = await load({ url: bare_url, ...post }, DURATION_S);
    const direct = await load({ url: `${stack.component('command-api').url}/v1/renders`, ...post }, DURATION_S);
    const whole = await load({ url: `${stack.base_url}/v1/renders`, ...post }, DURATION_S);
    const ratio = (direct.per_second / plain.per_second).toFixed(2);
    return [
      [`bare restify route, ${CONNECTIONS} connections`, shown(plain), ''],
      ['POST /v1/renders, command API', `${shown(direct)} (${ratio} of bare)`, ''],
      ['POST /v1/renders, through the gateway', shown(whole), ''],
    ];
  });
