import { setTimeout as pause } from 'node:timers/promises';
import type { SeededEntities } from '../demo/seeded.ts';
import { embeddedServerCheck } from '../read-models/embedded/server.ts';
import { servingRenders } from '../read-models/renders/model.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { withBareServer } from './bare-server.ts';
import { type BenchmarkResult, quantile } from './figures.ts';
import { fillProject } from './filled-projects.ts';
import { CONNECTIONS, type LoadResult, loadResultText, runLoad } from './load.ts';
import { storeReads } from './store-reads.ts';

const RENDERS = 100;
/** Bare route, service and gateway alternate in both orders, so that other load affects all equally. */
const ROUNDS = 2;
const ROUND_S = 4;
/** The warm-up is long: until the code is compiled, the service reaches only 0.7 of its later rate. */
const WARM_UP_S = 8;
const SHORT_WARM_UP_S = 2;
/**
 * The pause between cases: the store still works on queries that timed out, and the next case must not include that
 * time.
 */
const AFTERMATH_MS = 1_000;
const CEILING_S = 4;
const WORD = 'spring';

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const together = (loads: readonly LoadResult[]): LoadResult => ({
  per_second: mean(loads.map(({ per_second }) => per_second)),
  p50_ms: mean(loads.map(({ p50_ms }) => p50_ms)),
  p99_ms: mean(loads.map(({ p99_ms }) => p99_ms)),
  refused: loads.reduce((sum, { refused }) => sum + refused, 0),
});

/** Measures a store call without HTTP, from as many loops as there are connections. */
const ceiling = async (call: (n: number) => Promise<unknown>): Promise<LoadResult> => {
  const times: number[] = [];
  let refused = 0;
  const end = performance.now() + CEILING_S * 1_000;
  const loop = async (own: number): Promise<void> => {
    for (let n = own; performance.now() < end; n += CONNECTIONS) {
      const began = performance.now();
      await call(n).then(
        () => times.push(performance.now() - began),
        () => {
          refused += 1;
        },
      );
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, own) => loop(own)));
  const [p50_ms, p99_ms] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { per_second: times.length / CEILING_S, p50_ms, p99_ms, refused };
};

/** GET by id, first page and search at 32 connections, each compared with the same store calls behind a bare route. */
export const benchReads = async (
  stack: Stack,
  seeded: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const { project_id, ids } = await fillProject(clients, seeded, RENDERS, 1);
  const { renders } = await servingRenders(clients.store.db)();
  const reads = storeReads(renders, project_id, await embeddedServerCheck(clients.store.db)());
  const service_url = stack.component('query-api').url ?? '';
  const headers = { Authorization: `Bearer ${seeded.api_key}` };
  const list = `/v1/renders?project_id=${project_id}`;
  const kinds = [
    {
      title: 'GET /v1/renders/{id}, complete ones',
      paths: ids.map((id) => `/v1/renders/${id}`),
      call: (n: number) => reads.byId(ids[n % ids.length] ?? ''),
    },
    { title: `first page of ${RENDERS}`, paths: [list], call: reads.firstPage },
    {
      title: `search in ${RENDERS}, one word that all have`,
      paths: [`${list}&search=${WORD}`],
      call: () => reads.search(WORD),
    },
  ];
  const env = { MONGODB_URL: stack.env.MONGODB_URL ?? '', PROJECT_ID: project_id };
  return await withBareServer('./bare-reads/main.ts', env, async (bare_url) => {
    const figures: BenchmarkResult[] = [];
    for (const [i, { title, paths, call }] of kinds.entries()) {
      const warm_up_s = i === 0 ? WARM_UP_S : SHORT_WARM_UP_S;
      const loads = { bare: [] as LoadResult[], service: [] as LoadResult[], gateway: [] as LoadResult[] };
      const requests = {
        bare: { url: bare_url, paths },
        service: { url: service_url, headers, paths },
        gateway: { url: stack.base_url, headers, paths },
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        const turns = ['bare', 'service', 'gateway'] as const;
        for (const who of round % 2 === 0 ? turns : turns.toReversed()) {
          loads[who].push(await runLoad(requests[who], ROUND_S, round === 0 ? warm_up_s : 0));
          await pause(AFTERMATH_MS);
        }
      }
      const alone = await ceiling(call);
      await pause(AFTERMATH_MS);
      const [plain, whole] = [together(loads.bare), together(loads.service)];
      const ratio = (whole.per_second / plain.per_second).toFixed(2);
      figures.push(
        [`${title}: query API`, `${loadResultText(whole)}\n${ratio} of bare`, 'at least 0.80 of bare'],
        ['  through the gateway', loadResultText(together(loads.gateway)), ''],
        ['  bare restify route, same store calls', loadResultText(plain), ''],
        ['  the store alone, same calls, no HTTP', loadResultText(alone), ''],
      );
    }
    return figures;
  });
};
