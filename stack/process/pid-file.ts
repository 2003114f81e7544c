import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One process of a running stack: the pid of its group's leader, its start time (see processStart), and its name. */
export type PidEntry = { readonly pid: number; readonly started: string; readonly name: string };

export const LAUNCHER = 'launcher';

/** One line for each entry: `pid start name`. */
export const formatPids = (entries: readonly PidEntry[]): string =>
  entries.map((entry) => `${entry.pid} ${entry.started} ${entry.name}\n`).join('');

/** Parses the output of formatPids; skips a line that a crash cut off. */
export const parsePids = (text: string): readonly PidEntry[] =>
  text.split('\n').flatMap((line) => {
    const [pid = '', started = '', name = ''] = line.split(' ');
    return /^[1-9]\d*$/.test(pid) && started !== '' && name !== '' ? [{ pid: Number(pid), started, name }] : [];
  });

/**
 * The processes of an earlier run, given the current start time of each pid. A live launcher still owns its processes.
 * Otherwise, processes with the same start time are leftovers. A pid that now belongs to another program is ignored.
 */
export const findLeftovers = (
  entries: readonly PidEntry[],
  processStart: (pid: number) => string | null,
): { readonly owner: PidEntry | null; readonly leftovers: readonly PidEntry[] } => {
  const live = entries.filter((entry) => processStart(entry.pid) === entry.started);
  const owner = live.find((entry) => entry.name === LAUNCHER) ?? null;
  return { owner, leftovers: owner === null ? live : [] };
};

/** The file that lists the processes of a stack; each change rewrites it as a whole. */
export type PidFile = {
  readonly read: () => readonly PidEntry[];
  readonly add: (entry: PidEntry) => void;
  readonly remove: (pid: number) => void;
  readonly clear: () => void;
};

export const pidFile = (path: string): PidFile => {
  const read = (): readonly PidEntry[] => {
    try {
      return parsePids(readFileSync(path, 'utf8'));
    } catch {
      return [];
    }
  };
  const write = (entries: readonly PidEntry[]) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, formatPids(entries));
    renameSync(`${path}.new`, path);
  };
  return {
    read,
    add: (entry) => write([...read(), entry]),
    remove: (pid) => write(read().filter((entry) => entry.pid !== pid)),
    clear: () => rmSync(path, { force: true }),
  };
};
