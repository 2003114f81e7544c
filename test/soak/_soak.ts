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
  /** How many, of anybody, or whom, one after the other. */
  readonly faults: number | readonly string[];
  /** Of what lasts: a freeze, a fault of a link. */
  readonly longest_ms: number;
  readonly workers: number;
  /** Of its own, which are killed and frozen, too; the others are shared. */
  readonly servers: readonly ServerName[];
  /** Whether there are two of every other component. */
  readonly doubled: boolean;
  /** Whether the links between processes are harmed, too. */
  readonly links: boolean;
  /** Milliseconds from one POST of a client to its next. */
  readonly between_ms: number;
};

/** A client asks again for so long: brokers and stores may be frozen one after the other. */
const ACKNOWLEDGED_WITHIN_MS = 180_000;
const STANDS_STILL_AFTER_MS = 120_000;
/** A fault of one link holds up a client for as long as it waits for an answer. */
const CLIENTS = 8;

const judged = async (env: Readonly<Record<string, string>>, ids: readonly string[]): Promise<string> => {
  const python = requireTool(join(toolFolder('reader'), 'bin', 'python'));
  const prefix = env.KAFKA_TOPIC_PREFIX ?? '';
  const topics = ['render-events', 'render-status'].map((topic) => `${prefix}${topic}`);
  const script = join(import.meta.dirname, 'judge.py');
  return (await execa(python, [script, ...topics], { env, input: ids.join('\n'), timeout: 300_000 })).stdout;
};

/**
 * Renders are asked for while processes and servers are killed and frozen, and the links between them cut, stalled and
 * slowed down, several at a time. Then all of them have to be complete, once, with their webhooks, by all that the
 * service tells, and by a reader of the log that shares no code with it.
 */
export const soak = async (t: ExecutionContext, options: SoakOptions): Promise<void> => {
  const { seed, faults, longest_ms, workers, servers, doubled, links, between_ms } = options;
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const network = links ? await startNetwork() : null;
  t.teardown(async () => network?.close());
  const service = await openService(
    { WORKERS: String(workers) },
    { own_servers: servers, ...(network === null ? {} : { clientPort: network.clientPort }) },
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
