import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../stack/servers/tools.ts';
import { type ComponentProcess, spawnComponent } from '../helpers/component-process.ts';
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
  /** Never resolves; rejects if a process ends that was not stopped. */
  readonly broken: Promise<never>;
  readonly killAll: () => Promise<void>;
};

const SIDE_BY_SIDE = 2;

/**
 * Components whose older versions end if they lose a partition during a transaction (ADR 134). Then the supervisor
 * starts a replacement.
 */
const REPLACED_IF_OLD: ReadonlySet<string> = new Set(['projectors']);
/** Limit for all old processes together. A higher one would hide that they end again and again. */
const MAX_REPLACED = 5;

type Slot = {
  readonly component: string;
  version: Version;
  /** Null while the process is stopped or started, and if this version lacks the component. */
  process: ComponentProcess | null;
  /** Resolves when the replacement of an ended process is ready. */
  replacement: Promise<void>;
};

/** False if the process ends first. */
const becomesReady = async (started: Awaited<ReturnType<typeof spawnComponent>>): Promise<boolean> => {
  const ready = started.untilReady().then(() => true);
  ready.catch(() => undefined);
  try {
    return await Promise.race([ready, started.gone.then(() => false)]);
  } catch (fault) {
    await started.kill();
    throw fault;
  }
};

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
  say: (line: string) => void,
): Promise<Processes> => {
  const slots = folders.flatMap((component) =>
    Array.from(
      { length: SIDE_BY_SIDE },
      (): Slot => ({ component, version: 'old', process: null, replacement: Promise.resolve() }),
    ),
  );
  const { promise: broken, reject: fail } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  let replaced = 0;

  /** Throws unless another process may take the place of one that failed. */
  const noteFailure = ({ component, version }: Slot): void => {
    const ended = `a process of ${component} (${version}) ended with a failure`;
    say(ended);
    replaced += 1;
    if (version === 'new' || !REPLACED_IF_OLD.has(component) || replaced > MAX_REPLACED) throw new Error(ended);
  };
  const start = async (slot: Slot, own_env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const { component, version } = slot;
    const root = version === 'new' ? ROOT : old_root;
    if (!existsSync(join(root, component, 'main.ts'))) return;
    const started = await spawnComponent(component, { ...env, ...own_env }, root);
    const replace = async (): Promise<void> => {
      noteFailure(slot);
      await start(slot, own_env);
    };
    if (!(await becomesReady(started))) return await replace();
    slot.process = started;
    void started.gone.then(() => {
      if (slot.process !== started) return;
      slot.process = null;
      slot.replacement = replace().catch(fail);
    });
  };
  const stop = async (slot: Slot): Promise<void> => {
    await slot.replacement;
    const { process } = slot;
    slot.process = null;
    if (process !== null && (await process.end()) !== 0) noteFailure(slot);
  };
  const killAll = async (): Promise<void> => {
    await Promise.all(
      slots.map((slot) => {
        const { process } = slot;
        slot.process = null;
        return process?.kill();
      }),
    );
  };
  const of = (component: string) => slots.filter((slot) => slot.component === component);

  try {
    for (const slot of slots) await start(slot);
  } catch (fault) {
    await killAll();
    throw fault;
  }
  return {
    urls: (component) => of(component).flatMap(({ process }) => (process === null ? [] : [process.url])),
    broken,
    killAll,
    restart: async (component, version, own_env) => {
      for (const slot of of(component)) {
        await stop(slot);
        slot.version = version;
        await start(slot, own_env);
      }
    },
  };
};
