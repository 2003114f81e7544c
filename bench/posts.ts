import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { execa } from 'execa';
import type { Seeded } from '../stack/demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import { freePort } from '../stack/process/ports.ts';
import { until } from '../test/helpers/until.ts';
import { type Figure, ms } from './figures.ts';
import { renderBody, renderHeaders } from './post-render.ts';

const CONNECTIONS = 32;
const WARM_UP_S = 3;
const DURATION_S = 10;

type Load = { readonly per_second: number; readonly p50_ms: number; readonly p99_ms: number; readonly refused: number };

const load = async (url: string, headers: Record<string, string>, body: string): Promise<Load> => {
  const run = (duration: number) =>
    autocannon({ url, method: 'POST', connections: CONNECTIONS, duration, headers, body });
  await run(WARM_UP_S);
  const { '2xx': accepted, non2xx, errors, duration, latency } = await run(DURATION_S);
  return { per_second: accepted / duration, p50_ms: latency.p50, p99_ms: latency.p99, refused: non2xx + errors };
};

const shown = ({ per_second, p50_ms, p99_ms, refused }: Load): string =>
  `${per_second.toFixed(0)}/s, p50 ${ms(p50_ms)}, p99 ${ms(p99_ms)}, ${refused} refused`;

/** POST /v1/renders at 32 connections, through the gateway and without it, beside a bare restify route. */
export const benchPosts = async (stack: Stack, seeded: Seeded): Promise<readonly Figure[]> => {
  const port = await freePort();
  const bare_url = `http://127.0.0.1:${port}/`;
  const main = fileURLToPath(new URL('./bare-route/main.ts', import.meta.url));
  const bare = execa(process.execPath, [main], { env: { PORT: String(port) }, reject: false });
  try {
    const body = renderBody(seeded, 'Bench');
    const headers = renderHeaders(seeded);
    await until('the bare route answers', () =>
      fetch(bare_url).then(
        () => true,
        () => false,
      ),
    );
    const plain = await load(bare_url, headers, body);
    const direct = await load(`${stack.component('command-api').url}/v1/renders`, headers, body);
    const whole = await load(`${stack.base_url}/v1/renders`, headers, body);
    const ratio = (direct.per_second / plain.per_second).toFixed(2);
    return [
      ['bare restify route, 32 connections', shown(plain), ''],
      ['POST /v1/renders, command API', `${shown(direct)} (${ratio} of bare)`, ''],
      ['POST /v1/renders, through the gateway', shown(whole), ''],
    ];
  } finally {
    bare.kill();
    await bare;
  }
};
