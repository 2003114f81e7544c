import { createHash, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startGuard } from './guard.ts';
import { stopLeftovers } from './leftovers.ts';
import { LAUNCHER, pidFile } from './pid-file.ts';
import { makePrivateFolder } from './private-folder.ts';
import { processStartId } from './process-id.ts';
import { PROCESS_MARK_VARIABLE, type ProcessSpec, processMark, type Supervised, supervise } from './supervised.ts';

export type ProcessGroup = {
  readonly logsDir: string;
  /** Throws while the group is stopping. */
  readonly start: (spec: ProcessSpec) => Supervised;
  /** The variable that marks a short-lived child as part of this stack. */
  readonly mark: (name: string) => Readonly<Record<string, string>>;
  /** Stops the waves one after the other, and then all other processes. Resolves when all have ended. */
  readonly stop: (waves: readonly (readonly string[])[]) => Promise<void>;
};

export type ProcessGroupOptions = {
  readonly dataDir: string;
  /** The file with the pids; in the data folder by default. */
  readonly pidsPath?: string | undefined;
  readonly urgent?: AbortSignal | undefined;
  readonly onLine?: ((name: string, line: string) => void) | undefined;
  readonly onNotice?: ((message: string) => void) | undefined;
};

/** Stops the leftovers of an earlier run, and records this process as the owner of the data folder. */
export const openProcessGroup = async (options: ProcessGroupOptions): Promise<ProcessGroup> => {
  makePrivateFolder(options.dataDir);
  const dataDir = realpathSync(options.dataDir);
  const stackId = { data: createHash('sha256').update(dataDir).digest('hex').slice(0, 16), run: randomUUID() };
  const notice = options.onNotice ?? (() => undefined);
  const pidsPath = resolve(options.pidsPath ?? join(dataDir, 'pids'));
  const pids = pidFile(pidsPath);
  const stopped = await stopLeftovers(pids, stackId, dataDir);
  if (stopped > 0) notice(`Stopped ${stopped} processes of an earlier run.`);
  pids.add({ pid: process.pid, started: processStartId(process.pid) ?? 'unknown', name: LAUNCHER });
  const guard = startGuard(pidsPath, stackId);

  const all = new Map<string, Supervised>();
  let stopping: Promise<void> | null = null;
  const context = {
    stackId,
    logsDir: join(dataDir, 'logs'),
    pids,
    onLine: options.onLine ?? (() => undefined),
    onCrash: (_name: string, message: string) => notice(message),
  };
  const killAll = () => {
    for (const one of all.values()) one.killGroup();
  };
  options.urgent?.addEventListener('abort', killAll);

  const stopAll = async (waves: readonly (readonly string[])[]): Promise<void> => {
    const named = new Set(waves.flat());
    const rest = [...all.keys()].filter((name) => !named.has(name));
    for (const wave of [...waves, rest]) await Promise.all(wave.map((name) => all.get(name)?.stop()));
    options.urgent?.removeEventListener('abort', killAll);
    pids.clear();
    guard.dismiss();
  };

  return {
    logsDir: context.logsDir,
    mark: (name) => ({ [PROCESS_MARK_VARIABLE]: processMark(stackId, name) }),
    start: (spec) => {
      if (stopping !== null) throw new Error('the stack is stopping');
      const one = supervise(spec, context);
      all.set(spec.name, one);
      return one;
    },
    stop: (waves) => {
      stopping ??= stopAll(waves);
      return stopping;
    },
  };
};
