import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../stack/servers/tools.ts';
import { type ComponentProcess, startComponent } from '../helpers/component-process.ts';
import type { Version } from './_orders.ts';

/** Two processes of each component, of any version, supervised from outside of this project. */
export type Processes = {
  /**
   * One after the other: the second serves while the first restarts.
   *
   * @param own_env settings of these processes alone
   */
  readonly restart: (component: string, version: Version, own_env?: Readonly<Record<string, string>>) => Promise<void>;
  readonly urls: (component: string) => readonly string[];
  readonly killAll: () => Promise<void>;
};

const SIDE_BY_SIDE = 2;

/**
 * Starts the old version of each component. A component that the old version lacks gets its processes when it is
 * restarted in the new version.
 *
 * @param folders of components, e.g. `render-workers/worker`
 */
export const startProcesses = async (
  folders: readonly string[],
  old_root: string,
  env: Readonly<Record<string, string>>,
): Promise<Processes> => {
  const running = new Map<string, ComponentProcess[]>(folders.map((folder) => [folder, []]));
  const of = (component: string) => running.get(component) ?? [];
  const start = async (
    component: string,
    version: Version,
    own_env: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const root = version === 'new' ? ROOT : old_root;
    if (!existsSync(join(root, component, 'main.ts'))) return;
    of(component).push(await startComponent(component, { ...env, ...own_env }, root));
  };
  const killAll = async (): Promise<void> => {
    await Promise.all([...running.values()].flat().map((one) => one.kill()));
  };
  try {
    for (const folder of folders) for (let i = 0; i < SIDE_BY_SIDE; i += 1) await start(folder, 'old');
  } catch (fault) {
    await killAll();
    throw fault;
  }
  return {
    urls: (component) => of(component).map(({ url }) => url),
    killAll,
    restart: async (component, version, own_env) => {
      for (let i = 0; i < SIDE_BY_SIDE; i += 1) {
        const stopped = of(component).shift();
        const code = stopped === undefined ? 0 : await stopped.end();
        if (code !== 0) throw new Error(`a process of ${component} ended with ${code}`);
        await start(component, version, own_env);
      }
    },
  };
};
