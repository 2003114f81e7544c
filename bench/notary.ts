import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { runRenderctl } from '../cli/run.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { pollUntil } from '../stack/testing/until.ts';
import type { BenchmarkResult } from './figures.ts';
import { processUsageOf } from './usage.ts';

/** As many partitions as a large log has. */
export const NOTARY_ENV = { RENDER_PARTITIONS: '64' };

const EVENTS_PER_S = 200;
const MEASURED_S = 65;
const VALUE = Buffer.alloc(500, 'v');
const SHARES = [
  ['render-events', 0.45],
  ['render-status', 0.4],
  ['webhook-events', 0.15],
] as const;
/** `LOG_RENDERS=125000` gives a log of a million events. */
const MANY = 8 * Number(process.env.LOG_RENDERS ?? 24_000);
const BATCH = 500;
const PARTITIONS = 64;

const appendSteadily = async ({ records }: StackClients, seconds: number): Promise<void> => {
  const began = performance.now();
  for (let second = 0; second < seconds; second += 1) {
    const appends = SHARES.flatMap(([topic, share]) =>
      Array.from({ length: EVENTS_PER_S * share }, (_, i) =>
        records.log.append({ topic, key: `rend_${second}_${i}`, value: VALUE }),
      ),
    );
    if (!(await Promise.all(appends)).every(E.isRight)) throw new Error('Kafka took no event');
    await pause(Math.max(0, began + (second + 1) * 1_000 - performance.now()));
  }
};

const appendMany = async ({ records }: StackClients): Promise<void> => {
  const batch = Array.from({ length: BATCH }, (_, i) => ({ key: `rend_${i}`, value: VALUE }));
  for (let done = 0; done < MANY; done += BATCH) {
    const partition = (done / BATCH) % PARTITIONS;
    const request = { topic: 'render-events', partition, records: batch };
    // On a busy machine, the broker may be unavailable for a moment.
    await pollUntil('Kafka takes a batch', async () => E.isRight(await records.log.appendBatch(request)), 60_000);
  }
};

const renderctl = async ({ env }: Stack, ...args: readonly string[]): Promise<number> => {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const began = performance.now();
  const exit_code = await runRenderctl(args, {
    env: { RENDERCTL_STACK_FILE: '/nonexistent/stack.json', ...env },
    ...{ stdout: nowhere(), stderr: nowhere(), stop: new AbortController().signal, ask: async () => null },
    askSecret: async () => '',
    hasPipedText: async () => false,
  });
  if (exit_code !== 0) throw new Error(`renderctl ${args.join(' ')} ends with ${exit_code}`);
  return performance.now() - began;
};

/** The resources that the notary uses while the log grows. */
export const benchNotary = async (stack: Stack, clients: StackClients): Promise<readonly BenchmarkResult[]> => {
  // Stops the projectors, so that only the notary reads these records.
  stack.component('projectors').kill('SIGSTOP');
  const pid = stack.component('notary').pid() ?? 0;
  await appendSteadily(clients, 5);
  await renderctl(stack, 'notary', 'sign');
  const [before] = await processUsageOf([pid]);
  await appendSteadily(clients, MEASURED_S);
  const [after] = await processUsageOf([pid]);
  const share = ((after?.cpu_ms ?? 0) - (before?.cpu_ms ?? 0)) / (MEASURED_S * 1_000);
  return [
    [`notary at ${EVENTS_PER_S} events/s over 64 partitions`, `${(share * 100).toFixed(1)} % of a core`, 'below 5 %'],
  ];
};

/** How fast records are signed, and how long the verification of a whole topic takes. */
export const benchVerify = async (stack: Stack, clients: StackClients): Promise<readonly BenchmarkResult[]> => {
  stack.component('projectors').kill('SIGSTOP');
  const endsOf = async (): Promise<number> =>
    (await clients.records.log.bounds('render-events')).reduce((sum, { end }) => sum + end, 0);
  const before = await endsOf();
  await appendMany(clients);
  const all = await endsOf();
  const sign_ms = await renderctl(stack, 'notary', 'sign');
  const verify_ms = await renderctl(stack, 'verify', 'topic', 'render-events');
  const perSecond = (count: number, took_ms: number): string => `${Math.round((count * 1_000) / took_ms)} records/s`;
  return [
    [`notary: ${all - before} records that came at once, signed`, perSecond(all - before, sign_ms), ''],
    ['renderctl verify topic render-events', perSecond(all, verify_ms), 'at least 15,000 records/s'],
  ];
};
