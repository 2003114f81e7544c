import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Seeded } from '../demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import { type Figure, ms, quantile } from './figures.ts';
import { renderBody, renderHeaders } from './post-render.ts';

const CLIENTS = 2_000;
const MANY_ADDRESSES = 16;
/**
 * Without slow clients, with those of many addresses, with those of one: alternating, so that other load affects all.
 */
const ROUNDS = 3;
const ROUND_MS = 5_000;
const WARM_UP_MS = 3_000;
const MOST_MORE_MS = 50;

/** One request after another over a kept-alive connection, reads and writes in turn. */
const honestTimes = async (stack: Stack, seeded: Seeded, duration_ms: number): Promise<readonly number[]> => {
  const url = `${stack.base_url}/v1/`;
  const headers = renderHeaders(seeded);
  const times: number[] = [];
  const end = performance.now() + duration_ms;
  for (let n = 0; performance.now() < end; n += 1) {
    const began = performance.now();
    const answer = await (n % 2 === 0
      ? fetch(`${url}teams`, { headers })
      : fetch(`${url}renders`, { method: 'POST', headers, body: renderBody(seeded, 'Bench') }));
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`an honest client was answered ${answer.status}`);
    times.push(performance.now() - began);
  }
  return times;
};

const among = async <A>(stack: Stack, addresses: number, work: () => Promise<A>): Promise<A> => {
  if (addresses === 0) return await work();
  const main = fileURLToPath(new URL('slow-clients/main.ts', import.meta.url));
  const env = { GATEWAY_URL: stack.base_url, CLIENTS: String(CLIENTS), ADDRESSES: String(addresses) };
  const slow = execa(process.execPath, [main], { env, reject: false });
  try {
    await once(slow.stdout, 'data');
    return await work();
  } finally {
    slow.kill('SIGKILL');
    await slow;
  }
};

/** The latency of a normal client beside 2,000 that send headers and bodies slowly, or do not read. */
export const benchSlowClients = async (stack: Stack, seeded: Seeded): Promise<readonly Figure[]> => {
  const kinds = [
    { title: 'an honest client alone', addresses: 0, times: [] as number[] },
    {
      title: `among ${CLIENTS} slow ones of ${MANY_ADDRESSES} addresses`,
      addresses: MANY_ADDRESSES,
      times: [] as number[],
    },
    { title: `among ${CLIENTS} slow ones of one address`, addresses: 1, times: [] as number[] },
  ];
  await honestTimes(stack, seeded, WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { addresses, times } of round % 2 === 0 ? kinds : kinds.toReversed())
      times.push(...(await among(stack, addresses, () => honestTimes(stack, seeded, ROUND_MS))));
  const alone_ms = quantile(kinds[0]?.times ?? [], 0.99);
  return kinds.map(({ title, addresses, times }) => {
    const p99_ms = quantile(times, 0.99);
    const more = addresses === 0 ? '' : `, ${ms(p99_ms - alone_ms)} more`;
    return [
      `${title}, GET and POST`,
      `p50 ${ms(quantile(times, 0.5))}, p99 ${ms(p99_ms)}${more}`,
      addresses === 0 ? '' : `p99 at most ${MOST_MORE_MS} ms more`,
    ];
  });
};
