import { setTimeout as pause } from 'node:timers/promises';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { COMPONENTS } from '../../stack/components.ts';
import type { Stack } from '../../stack/launcher.ts';
import type { ServerName } from '../../stack/servers/servers.ts';
import { type ComponentProcess, startComponent } from '../helpers/component-process.ts';

/** A fault of a process, or of a link between two. */
export type Harm = {
  readonly what: string;
  readonly begin: () => unknown;
  readonly end?: () => unknown;
};

/** A process whose supervisor restarts it after a kill, or a link. */
export type Victim = { readonly name: string; readonly harms: readonly Harm[] };

/** A fault with its victim and time. */
export type Fault = {
  readonly victim: Victim;
  readonly harm: Harm;
  readonly lasts_ms: number;
  readonly then_ms: number;
};

/**
 * The same seed gives the same faults.
 *
 * @param drawn the groups of victims from which faults are drawn in turn
 */
export const faultsOf = (seed: number, drawn: readonly (readonly Victim[])[], longest_ms: number): readonly Fault[] => {
  const random = xoroshiro128plus(seed);
  const upTo = (most: number): number => uniformInt(random, 0, most);
  const oneOf = <A>(all: readonly A[]): A => {
    const one = all[upTo(all.length - 1)];
    if (one === undefined) throw new RangeError('nothing to choose from');
    return one;
  };
  return drawn.map((victims) => {
    const victim = oneOf(victims);
    return { victim, harm: oneOf(victim.harms), lasts_ms: 500 + upTo(longest_ms - 500), then_ms: 500 + upTo(4_500) };
  });
};

const processVictim = (name: string, signal: (signal: NodeJS.Signals) => void): Victim => ({
  name,
  harms: [
    { what: 'killed', begin: () => signal('SIGKILL') },
    { what: 'frozen', begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') },
  ],
});

/** The processes of the stack and its servers, which the stack restarts. */
export const victimsOf = (stack: Stack, workers: number, servers: readonly ServerName[]): readonly Victim[] => {
  const names = COMPONENTS.map(({ name }) => name).filter((name) => name in stack.health_urls);
  const more = Array.from({ length: workers - 1 }, (_, i) => `worker-${i + 2}`);
  const components = [...names, ...more].map((name) => processVictim(name, stack.component(name).kill));
  return [...components, ...servers.map((name) => processVictim(name, stack.server(name).kill))];
};

export type SecondProcesses = { readonly victims: readonly Victim[]; readonly stop: () => Promise<void> };

const AGAIN_AFTER_MS = 1_000;

/** Starts one more process of each component except workers and gateway, and restarts each when it ends. */
export const startSecondProcesses = async (env: Readonly<Record<string, string>>): Promise<SecondProcesses> => {
  const folders = COMPONENTS.filter(({ name }) => name !== 'gateway' && name !== 'worker').map(({ entry }) =>
    entry.replace('/main.ts', ''),
  );
  const running = new Map<string, ComponentProcess>();
  let is_on = true;
  const keep = async (folder: string, first: ComponentProcess): Promise<void> => {
    let its: ComponentProcess | null = first;
    while (is_on) {
      await its?.gone;
      await pause(AGAIN_AFTER_MS);
      its = is_on ? await startComponent(folder, env).catch(() => null) : null;
      if (its !== null) running.set(folder, its);
    }
    await its?.kill();
  };
  const kept: Promise<void>[] = [];
  for (const folder of folders) {
    const first = await startComponent(folder, env);
    running.set(folder, first);
    kept.push(keep(folder, first));
  }
  return {
    victims: folders.map((folder) =>
      processVictim(`the second ${folder}`, (signal) => running.get(folder)?.signal(signal)),
    ),
    stop: async () => {
      is_on = false;
      for (const one of running.values()) {
        one.signal('SIGCONT');
        await one.kill();
      }
      await Promise.all(kept);
    },
  };
};
