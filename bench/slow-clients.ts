import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { SeededEntities } from '../demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import { stallOption, stallsIn } from '../stack/testing/stalls.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { renderBody, renderHeaders } from './post-render.ts';

const MANY_ADDRESSES = 16;
/** Rounds with and without slow clients alternate, so that other load affects both. */
const ROUNDS = 3;
const ROUND_MS = 5_000;
const WARM_UP_MS = 3_000;
const SETTLING_MS = 500;
const MAX_MORE_MS = 100;

const STALLS_FILE = join(tmpdir(), `bench-stalls-${process.pid}`);
export const SLOW_CLIENTS_ENV = { NODE_OPTIONS: stallOption(STALLS_FILE) };

/**
 * The latencies of a normal client, in ms: one request after another on a keep-alive connection, reads and writes in
 * turn.
 */
const honestTimes = async (stack: Stack, seeded: SeededEntities, duration_ms: number): Promise<readonly number[]> => {
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

const among = async <A>(stack: Stack, clients: number, addresses: number, work: () => Promise<A>): Promise<A> => {
  if (clients === 0) return await work();
  const main = fileURLToPath(new URL('slow-clients/main.ts', import.meta.url));
  const env = { GATEWAY_URL: stack.base_url, CLIENTS: String(clients), ADDRESSES: String(addresses) };
  const slow = execa(process.execPath, [main], { env, reject: false });
  try {
    await once(slow.stdout, 'data');
    return await work();
  } finally {
    slow.kill('SIGKILL');
    await slow;
  }
};

const KINDS = [
  { title: 'an honest client alone', clients: 0, addresses: 0 },
  { title: 'among 400 slow ones of one address', clients: 400, addresses: 1 },
  { title: `among 400 slow ones of ${MANY_ADDRESSES} addresses`, clients: 400, addresses: MANY_ADDRESSES },
  { title: `among 2000 slow ones of ${MANY_ADDRESSES} addresses`, clients: 2_000, addresses: MANY_ADDRESSES },
];

/**
 * The longest time for which the gateway's own work blocked its event loop. Other load on the machine does not count.
 */
const stallMs = (since: number): number => stallsIn(STALLS_FILE, ['gateway'], since)[0]?.ms ?? 0;

type Round = { readonly times: readonly number[]; readonly stall_ms: number };

const round = async (stack: Stack, seeded: SeededEntities): Promise<Round> => {
  const since = Date.now();
  const times = await honestTimes(stack, seeded, ROUND_MS);
  return { times, stall_ms: stallMs(since) };
};

/**
 * The latency of a normal client while others connect all at once. They pipeline requests without reading the
 * responses, or send headers and bodies slowly. All clients share the cores with the gateway, so the bench also reports
 * the longest stall of the gateway's event loop.
 */
export const benchSlowClients = async (stack: Stack, seeded: SeededEntities): Promise<readonly BenchmarkResult[]> => {
  const kinds = KINDS.map((kind) => ({ ...kind, rounds: [] as Round[] }));
  await honestTimes(stack, seeded, WARM_UP_MS);
  for (let i = 0; i < ROUNDS; i += 1)
    for (const { clients, addresses, rounds } of i % 2 === 0 ? kinds : kinds.toReversed()) {
      rounds.push(await among(stack, clients, addresses, () => round(stack, seeded)));
      // When all connections close at once, the gateway is busy for a moment. No round includes that time.
      await honestTimes(stack, seeded, SETTLING_MS);
    }
  await rm(STALLS_FILE, { force: true });
  const worstMs = (rounds: readonly Round[]): number => Math.max(...rounds.flatMap(({ times }) => times));
  const alone_ms = worstMs(kinds[0]?.rounds ?? []);
  return kinds.map(({ title, clients, rounds }) => {
    const times = rounds.flatMap((one) => one.times);
    const worst_ms = worstMs(rounds);
    const stall_ms = Math.max(...rounds.map((one) => one.stall_ms));
    const more = clients === 0 ? '' : `, ${millisecondsText(worst_ms - alone_ms)} more`;
    const own =
      stall_ms === 0 ? 'no turn of the gateway over 25 ms' : `a turn of the gateway ${millisecondsText(stall_ms)}`;
    const [p50_ms, p99_ms] = [quantile(times, 0.5), quantile(times, 0.99)];
    return [
      `${title}, GET and POST`,
      `p50 ${millisecondsText(p50_ms)}, p99 ${millisecondsText(p99_ms)}, worst ${millisecondsText(worst_ms)}${more}; ${own}`,
      clients === 0 ? '' : `worst at most ${MAX_MORE_MS} ms more`,
    ];
  });
};
