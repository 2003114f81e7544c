import { setTimeout as pause } from 'node:timers/promises';
import { COMPONENTS } from '../stack/components.ts';
import type { Stack } from '../stack/launcher.ts';
import { SERVER_NAMES } from '../stack/servers/servers.ts';
import type { BenchmarkResult } from './figures.ts';
import { processUsageOf } from './usage.ts';

const SETTLE_MS = 10_000;
const WATCH_MS = 30_000;

export const benchIdle = async (stack: Stack): Promise<readonly BenchmarkResult[]> => {
  const processes = [
    ...SERVER_NAMES.map((name) => stack.server(name)),
    ...COMPONENTS.map(({ name }) => stack.component(name)),
  ];
  const pids = processes.map((one) => one.pid() ?? 0);
  await pause(SETTLE_MS);
  const before = await processUsageOf(pids);
  const began = performance.now();
  await pause(WATCH_MS);
  const after = await processUsageOf(pids);
  const elapsed_ms = performance.now() - began;

  const shares = pids.map((_, i) => (100 * ((after[i]?.cpu_ms ?? 0) - (before[i]?.cpu_ms ?? 0))) / elapsed_ms);
  const memory = after.map(({ resident_bytes }) => resident_bytes / 2 ** 20);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const each = processes.map(
    ({ name }, i): BenchmarkResult => [
      `  ${name}`,
      `${(shares[i] ?? 0).toFixed(1)} %, ${(memory[i] ?? 0).toFixed(0)} MiB`,
      '',
    ],
  );
  const whole = `${sum(shares).toFixed(1)} % of one core, ${sum(memory).toFixed(0)} MiB resident`;
  return [['whole stack, idle for 30 s', whole, 'under 25 % of one core'], ...each];
};
