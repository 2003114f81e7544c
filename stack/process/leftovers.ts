import { findLeftovers, type PidEntry, type PidFile } from './pid-file.ts';
import { pidsWithVariable, processStartId, signalGroup } from './process-id.ts';
import { PROCESS_MARK_VARIABLE, type StackId } from './supervised.ts';
import { waitUntil } from './wait.ts';

const GRACE_MS = 10_000;

/**
 * Stops the processes of a killed launcher on the same data and returns their number. Throws if that launcher is alive,
 * because two stacks must not share their data.
 */
export const stopLeftovers = async (pids: PidFile, stack: StackId, dataDir: string): Promise<number> => {
  const { owner, leftovers } = findLeftovers(pids.read(), processStartId);
  if (owner !== null) {
    throw new Error(`A stack is already running on ${dataDir} (process ${owner.pid}). Stop it first.`);
  }
  const stopped = await stopProcesses(leftovers, `${stack.data}:`);
  pids.clear();
  return stopped;
};

/**
 * Sends SIGTERM to the process groups, then SIGKILL to the rest and to every process whose mark begins with
 * `markBeginning` (see processMark). Resolves when all have ended; throws if one does not end.
 */
export const stopProcesses = async (entries: readonly PidEntry[], markBeginning: string): Promise<number> => {
  const groups = entries.map((entry) => entry.pid);
  for (const group of groups) signalGroup(group, 'SIGTERM');
  const gone = () => groups.every((group) => processStartId(group) === null);
  await waitUntil(async () => gone(), { timeout_ms: GRACE_MS, message: () => '' }).catch(() => undefined);
  for (const group of groups) signalGroup(group, 'SIGKILL');
  const strays = pidsWithVariable(PROCESS_MARK_VARIABLE, markBeginning);
  for (const stray of strays) killNow(stray);
  const all = [...new Set([...groups, ...strays])];
  await waitUntil(async () => all.every((pid) => processStartId(pid) === null), {
    timeout_ms: GRACE_MS,
    message: () => `Could not stop the processes ${all.join(', ')} of an earlier run`,
  });
  return all.length;
};

const killNow = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended in the meantime.
  }
};
