import { setTimeout as pause } from 'node:timers/promises';
import type { SeededEntities } from '../demo/seeded.ts';
import { COMPONENTS } from '../stack/components.ts';
import type { Stack } from '../stack/launcher.ts';
import { SERVER_NAMES } from '../stack/servers/servers.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { type BenchmarkResult, millisecondsText } from './figures.ts';
import { postRender } from './post-render.ts';
import { completedAt } from './renders.ts';

const AWAY_MS = 60_000;
const BOUND_MS = 180_000;

const untilRendered = async (
  stack: Stack,
  seeded: SeededEntities,
  clients: StackClients,
  name: string,
): Promise<number> => {
  const from = performance.now();
  const end = from + BOUND_MS;
  let id: string | null = null;
  while (id === null) {
    id = await postRender(stack.base_url, seeded, name).catch(() => null);
    if (performance.now() > end) throw new Error(`${name}: nothing was accepted for ${BOUND_MS} ms`);
    if (id === null) await pause(100);
  }
  await completedAt(clients, id, end - performance.now());
  return performance.now() - from;
};

/**
 * How long a client waits for a render: on a healthy stack, after a kill of each process, after a minute without a
 * server.
 */
export const benchRecovery = async (
  stack: Stack,
  seeded: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const figures: BenchmarkResult[] = [];
  const measure = async (what: string): Promise<void> => {
    const took = await untilRendered(stack, seeded, clients, `Recovery ${what}`);
    figures.push([`a render, POST to complete: ${what}`, millisecondsText(took), '']);
  };
  await measure('to warm up');
  await measure('nothing happens');
  for (const { name } of COMPONENTS) {
    stack.component(name).kill('SIGKILL');
    await measure(`${name} is killed`);
    await stack.component(name).untilReady();
  }
  for (const name of SERVER_NAMES) {
    const server = stack.server(name);
    server.kill('SIGSTOP');
    await pause(AWAY_MS);
    server.kill('SIGCONT');
    await measure(`${name} is back after a minute`);
  }
  return figures;
};
