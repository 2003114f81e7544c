/**
 * make bench: measures the embedded stack in one run. Compare only figures of one run, because they depend on the
 * machine and its load. The report names the store, which limits some figures. All steps run by default, except
 * long-lists: its lists of 100,000 take minutes to fill.
 *
 * node bench/main.ts [STEP]... The names of the steps are in the lists below.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { seedDemo } from '../demo/seed.ts';
import type { SeededEntities } from '../demo/seeded.ts';
import { type Stack, startStack } from '../stack/launcher.ts';
import { catchStopSignals } from '../stack/process/stop-signals.ts';
import { openStackClients, type StackClients } from '../stack/testing/stack-clients.ts';
import { benchBlobs } from './blobs.ts';
import { benchCompare } from './compare.ts';
import { benchPreview, benchSheet } from './dashboard.ts';
import { benchDispatch } from './dispatch.ts';
import { benchErasures } from './erasures.ts';
import type { BenchmarkResult } from './figures.ts';
import { benchFold } from './fold.ts';
import { benchIdle } from './idle.ts';
import { benchLag } from './lag.ts';
import { benchListeners, LISTENERS_ENV } from './listeners.ts';
import { benchLists, benchLongLists } from './lists.ts';
import { benchLog } from './log.ts';
import { benchNotary, benchVerify, NOTARY_ENV } from './notary.ts';
import { benchPosts, benchSealed } from './posts.ts';
import { benchPublish } from './publish.ts';
import { benchPunctures } from './punctures.ts';
import { benchReads } from './reads.ts';
import { benchRebuild } from './rebuild.ts';
import { benchRecovery } from './recovery.ts';
import { benchRenders } from './renders.ts';
import { benchSlowClients, SLOW_CLIENTS_ENV } from './slow-clients.ts';
import { benchStills } from './stills.ts';
import { benchStore } from './store.ts';
import { benchUploads } from './uploads.ts';
import { benchWebhooks } from './webhooks.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const signals = catchStopSignals();
const PROJECT = join(import.meta.dirname, 'project');

/** One key makes all requests, and without a worker all renders wait, so the default limits would reject the load. */
const UNLIMITED = {
  RATE_LIMIT_PER_S: '1000000',
  RATE_LIMIT_BURST: '1000000',
  WAITING_RENDERS_PER_ACCOUNT: '1000000',
};

type Measure = (stack: Stack, seeded: SeededEntities, clients: StackClients) => Promise<readonly BenchmarkResult[]>;

const withStack = async (
  components: readonly string[] | undefined,
  env: Readonly<Record<string, string>>,
  work: (stack: Stack, seeded: SeededEntities, clients: StackClients) => Promise<void>,
): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const { stop: signal, urgent } = signals;
  const stack = await startStack({
    dataDir,
    signal,
    urgent,
    onNotice: say,
    env: { ...UNLIMITED, ...env },
    ...(components ? { components } : {}),
  });
  try {
    const clients = await openStackClients(stack.env);
    try {
      const seeded = await seedDemo({ env: stack.env, seeded_path: join(dataDir, 'seeded.json'), project: PROJECT });
      await work(stack, seeded, clients);
    } finally {
      await clients.close();
    }
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** A step with `named` runs only if the command line names it. */
type Step = { readonly name: string; readonly work: Measure; readonly named?: true };

/** These steps need the whole stack. */
const WHOLE: readonly Step[] = [
  { name: 'idle', work: (stack) => benchIdle(stack) },
  { name: 'renders', work: benchRenders },
  { name: 'stills', work: benchStills },
  { name: 'uploads', work: benchUploads },
  { name: 'preview', work: benchPreview },
  { name: 'recovery', work: benchRecovery },
];
const READING: readonly Step[] = [
  { name: 'reads', work: benchReads },
  { name: 'lists', work: benchLists },
  { name: 'long-lists', work: benchLongLists, named: true },
];
const READING_COMPONENTS = ['projectors', 'query-api', 'command-api', 'gateway'];
/** These steps run without preparer, dispatcher and worker, which would process the renders of the load. */
const WRITING: readonly Step[] = [
  { name: 'store', work: (_, __, clients) => benchStore(clients) },
  { name: 'lag', work: (stack, seeded, clients) => benchLag(stack, seeded, clients) },
  { name: 'publish', work: (stack) => benchPublish(stack) },
  { name: 'fold', work: (stack, _, clients) => benchFold(stack, clients) },
  { name: 'rebuild', work: (stack, _, clients) => benchRebuild(stack, clients) },
  { name: 'post', work: benchPosts },
  { name: 'blobs', work: benchBlobs },
  // Last, because its thousands of waiting renders slow down the store.
  { name: 'sealed', work: benchSealed },
];
const WRITING_COMPONENTS = ['projectors', 'query-api', 'command-api', 'gateway'];

/** With SLOW_CLIENTS_ENV, every process records how long its event loop stalls. */
const FLOODED: readonly Step[] = [{ name: 'slow-clients', work: (stack, seeded) => benchSlowClients(stack, seeded) }];

/** Only the components that deliver webhooks run. */
const DELIVERING: readonly Step[] = [{ name: 'webhooks', work: benchWebhooks }];
const DELIVERING_COMPONENTS = ['projectors', 'webhook-relay'];

/** The projectors are stopped during the measurement. */
const ANALYSING: readonly Step[] = [
  { name: 'log', work: (stack, _, clients) => benchLog(stack, clients) },
  { name: 'compare', work: (_, __, clients) => benchCompare(clients) },
];
const ANALYSING_COMPONENTS = ['projectors'];

const LISTENING: readonly Step[] = [
  { name: 'listeners', work: benchListeners },
  { name: 'sheet', work: benchSheet },
];
const LISTENING_COMPONENTS = ['projectors', 'query-api', 'command-api', 'management-api', 'gateway'];

const ERASING: readonly Step[] = [
  { name: 'punctures', work: (stack, _, clients) => benchPunctures(stack, clients) },
  { name: 'erasures', work: (_, __, clients) => benchErasures(clients) },
];
const ERASING_COMPONENTS = ['projectors', 'retention'];

/** With NOTARY_ENV, the log has as many partitions as a large log. */
const SIGNING: readonly Step[] = [
  { name: 'notary', work: (stack, _, clients) => benchNotary(stack, clients) },
  { name: 'verify', work: (stack, _, clients) => benchVerify(stack, clients) },
];
const SIGNING_COMPONENTS = ['projectors', 'notary'];

const wanted = process.argv.slice(2);
const isWanted = ({ name, named }: Omit<Step, 'work'>): boolean =>
  wanted.length === 0 ? named !== true : wanted.includes(name);

const figures: BenchmarkResult[] = [];

const bench = async (
  components: readonly string[] | undefined,
  steps: readonly Step[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const asked = steps.filter(isWanted);
  if (asked.length === 0) return;
  await withStack(components, env, async (stack, seeded, clients) => {
    for (const { name, work } of asked) {
      signals.stop.throwIfAborted();
      say(`Measuring: ${name} …`);
      figures.push(...(await work(stack, seeded, clients)));
    }
  });
};

try {
  // This step needs no servers.
  if (isWanted({ name: 'dispatch' })) figures.push(...benchDispatch(say));
  await bench(undefined, WHOLE);
  await bench(READING_COMPONENTS, READING);
  await bench(WRITING_COMPONENTS, WRITING);
  await bench(WRITING_COMPONENTS, FLOODED, SLOW_CLIENTS_ENV);
  await bench(DELIVERING_COMPONENTS, DELIVERING);
  await bench(ANALYSING_COMPONENTS, ANALYSING);
  await bench(LISTENING_COMPONENTS, LISTENING, LISTENERS_ENV);
  await bench(ERASING_COMPONENTS, ERASING);
  await bench(SIGNING_COMPONENTS, SIGNING, NOTARY_ENV);
} catch (error) {
  if (!signals.stop.aborted) throw error;
} finally {
  // Prints the figures of the earlier steps even if a later step fails.
  const table = new Table({ head: ['measured', 'figure', 'expected'], style: { head: [], border: [] } });
  for (const [measured, figure, expected] of figures) table.push([measured, figure, expected]);
  if (figures.length > 0) say(table.toString());
}
if (signals.stop.aborted) process.exitCode = signals.exitCode();
