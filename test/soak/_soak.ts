import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { execa } from 'execa';
import type { ServerName } from '../../stack/servers/servers.ts';
import { requireTool, toolFolder } from '../../stack/servers/tools.ts';
import { SMALL_FILM, startLoad } from '../e2e/_load.ts';
import { importFilm, openService } from '../e2e/_service.ts';
import { faultsOf, type Harm, startSecondProcesses, type Victim, victimsOf } from './_faults.ts';
import { startNetwork } from './_network.ts';

export type SoakOptions = {
  readonly seed: number;
  /** The number of random faults, or the victims in sequence. */
  readonly faults: number | readonly string[];
  readonly longest_ms: number;
  readonly workers: number;
  /** The components that run; all by default. */
  readonly components?: readonly string[];
  /** The test's own servers, which are killed and frozen too; the others are shared. */
  readonly servers: readonly ServerName[];
  readonly doubled: boolean;
  readonly links: boolean;
  /** The pause of a client between two POSTs, ms. */
  readonly between_ms: number;
};

/** A client retries this long, because brokers and stores can be frozen one after the other. */
const ACKNOWLEDGED_WITHIN_MS = 180_000;
const STANDS_STILL_AFTER_MS = 120_000;
/** Several clients, because a fault of one link delays a client until its answer times out. */
const CLIENTS = 8;

const judged = async (env: Readonly<Record<string, string>>, ids: readonly string[]): Promise<string> => {
  const python = requireTool(join(toolFolder('reader'), 'bin', 'python'));
  const prefix = env.KAFKA_TOPIC_PREFIX ?? '';
  const topics = ['render-events', 'render-status'].map((topic) => `${prefix}${topic}`);
  const script = join(import.meta.dirname, 'judge.py');
  return (await execa(python, [script, ...topics], { env, input: ids.join('\n'), timeout: 300_000 })).stdout;
};

/**
 * Clients post renders while processes and servers are killed and frozen, and links are cut, stalled and slowed,
 * several at a time. Then every render must be complete once, with its webhooks, in every source of the service and for
 * an independent reader of the log.
 */
export const soak = async (t: ExecutionContext, options: SoakOptions): Promise<void> => {
  const { seed, faults, longest_ms, workers, components, servers, doubled, links, between_ms } = options;
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const network = links ? await startNetwork() : null;
  t.teardown(async () => network?.close());
  const service = await openService(
    { WORKERS: String(workers) },
    {
      own_servers: servers,
      ...(components === undefined ? {} : { components }),
      ...(network === null ? {} : { clientPort: network.clientPort }),
    },
  );
  t.teardown(service.close);
  const { stack } = service;
  const project_id = await importFilm(service, 'film', SMALL_FILM);
  const second = doubled ? await startSecondProcesses((await network?.besides(stack.env)) ?? stack.env) : null;
  t.teardown(async () => second?.stop());
  const victims = [...victimsOf(stack, workers, servers), ...(second?.victims ?? []), ...(network?.links() ?? [])];
  const load = startLoad(service, {
    ...{ project_id, say, excused: [502, 503, 504] },
    ...{ clients: CLIENTS, between_ms },
    ...{ acknowledged_within_ms: ACKNOWLEDGED_WITHIN_MS, stands_still_after_ms: STANDS_STILL_AFTER_MS },
  });

  const lasting = new Map<Victim, Promise<void>>();
  const end = async (victim: Victim, harm: Harm, ms: number): Promise<void> => {
    await pause(ms);
    await harm.end?.();
    lasting.delete(victim);
  };
  const drawn =
    typeof faults === 'number'
      ? Array.from({ length: faults }, () => victims)
      : faults.map((name) => victims.filter((victim) => victim.name === name));
  for (const [i, { victim, harm, lasts_ms, then_ms }] of faultsOf(seed, drawn, longest_ms).entries()) {
    const what = harm.end === undefined ? harm.what : `${harm.what} for ${lasts_ms} ms`;
    say(`${i + 1}/${drawn.length} ${victim.name} is ${what}; ${load.posted()} renders posted`);
    if (harm.end === undefined) await harm.begin();
    else if (!lasting.has(victim)) {
      await harm.begin();
      lasting.set(victim, end(victim, harm, lasts_ms));
    }
    await Promise.race([pause(then_ms), load.broken]);
  }
  await Promise.all(lasting.values());
  const calm = Date.now();
  const { renders, render_ms, post_ms } = await load.settle(t);
  say(`${renders} renders complete; the last one ${Date.now() - calm} ms after the last fault (with the proof);`);
  say(`each within ${render_ms} ms, and acknowledged within ${post_ms} ms`);
  t.is(await judged(stack.env, load.ids()), '');
};
