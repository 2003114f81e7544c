import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { execa } from 'execa';
import { requireTool, toolFolder } from '../../stack/servers/tools.ts';
import { SMALL_FILM, startLoad } from '../e2e/_load.ts';
import { importFilm, openService } from '../e2e/_service.ts';
import { faultsOf, startSecondProcesses, type Victim, victimsOf } from './_faults.ts';

export type SoakOptions = {
  readonly seed: number;
  readonly faults: number;
  readonly longest_freeze_ms: number;
  readonly workers: number;
  /** Whether there are two of every other component. */
  readonly doubled: boolean;
};

/** A client asks again for so long: brokers and stores may be frozen one after the other. */
const ACKNOWLEDGED_WITHIN_MS = 180_000;
const STANDS_STILL_AFTER_MS = 120_000;

const judged = async (env: Readonly<Record<string, string>>, ids: readonly string[]): Promise<string> => {
  const python = requireTool(join(toolFolder('reader'), 'bin', 'python'));
  const prefix = env.KAFKA_TOPIC_PREFIX ?? '';
  const topics = ['render-events', 'render-status'].map((topic) => `${prefix}${topic}`);
  const script = join(import.meta.dirname, 'judge.py');
  return (await execa(python, [script, ...topics], { env, input: ids.join('\n'), timeout: 300_000 })).stdout;
};

/**
 * Renders are asked for while processes and servers are killed and frozen, several at a time. Then all of them have to be
 * complete, once, with their webhooks, by all that the service tells, and by a reader of the log that shares no code with
 * it.
 */
export const soak = async (t: ExecutionContext, options: SoakOptions): Promise<void> => {
  const { seed, faults, longest_freeze_ms, workers, doubled } = options;
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const service = await openService({ WORKERS: String(workers) }, ['kafka', 'registry', 'store', 'blob']);
  t.teardown(service.close);
  const { stack } = service;
  const project_id = await importFilm(service, 'film', SMALL_FILM);
  const second = doubled ? await startSecondProcesses(stack.env) : null;
  t.teardown(async () => second?.stop());
  const victims: readonly Victim[] = [...victimsOf(stack, workers), ...(second?.victims ?? [])];
  const load = startLoad(service, {
    ...{ project_id, say, between_ms: 500, excused: [502, 503, 504] },
    ...{ acknowledged_within_ms: ACKNOWLEDGED_WITHIN_MS, stands_still_after_ms: STANDS_STILL_AFTER_MS },
  });

  const frozen = new Map<Victim, Promise<void>>();
  const thaw = async (victim: Victim, ms: number): Promise<void> => {
    await pause(ms);
    victim.signal('SIGCONT');
    frozen.delete(victim);
  };
  for (const [i, fault] of faultsOf(seed, faults, victims.length, longest_freeze_ms).entries()) {
    const victim = victims[fault.victim];
    if (victim === undefined) throw new RangeError(`victim ${fault.victim}`);
    const what = fault.frozen_ms === null ? 'killed' : `frozen for ${fault.frozen_ms} ms`;
    say(`${i + 1}/${faults} ${victim.name} is ${what}; ${load.posted()} renders posted`);
    if (fault.frozen_ms === null) victim.signal('SIGKILL');
    else if (!frozen.has(victim)) {
      victim.signal('SIGSTOP');
      frozen.set(victim, thaw(victim, fault.frozen_ms));
    }
    await Promise.race([pause(fault.then_ms), load.broken]);
  }
  await Promise.all(frozen.values());
  const calm = Date.now();
  const { renders, render_ms, post_ms } = await load.settle(t);
  say(`${renders} renders complete; the last one ${Date.now() - calm} ms after the last fault (with the proof);`);
  say(`each within ${render_ms} ms, and acknowledged within ${post_ms} ms`);
  t.is(await judged(stack.env, load.ids()), '');
};
