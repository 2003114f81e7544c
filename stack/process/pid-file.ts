import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One process of a running stack: its group's leader, when it began (see processStart), and what it is. */
export type PidEntry = { readonly pid: number; readonly started: string; readonly name: string };

export const LAUNCHER = 'launcher';

/** One line for each entry: `pid start name`. */
export const formatPids = (entries: readonly PidEntry[]): string =>
  entries.map((entry) => `${entry.pid} ${entry.started} ${entry.name}\n`).join('');

/** Reads what formatPids wrote; a line that a crash cut off is left out. */
export const parsePids = (text: string): readonly PidEntry[] =>
  text.split('\n').flatMap((line) => {
    const [pid = '', started = '', name = ''] = line.split(' ');
    return /^[1-9]\d*$/.test(pid) && started !== '' && name !== '' ? [{ pid: Number(pid), started, name }] : [];
  });

/**
 * What to do with the entries of an earlier run, given when the process of each pid began now: a launcher that lives
 * owns them; otherwise those that still are the same process are leftovers. A pid that was given to another program
 * meanwhile is left alone.
 */
export const findLeftovers = (
  entries: readonly PidEntry[],
  processStart: (pid: number) => string | null,
): { readonly owner: PidEntry | null; readonly leftovers: readonly PidEntry[] } => {
  const live = entries.filter((entry) => processStart(entry.pid) === entry.started);
  const owner = live.find((entry) => entry.name === LAUNCHER) ?? null;
  return { owner, leftovers: owner === null ? live : [] };
};

/** The file that says which processes belong to a stack; written anew, whole, at each change. */
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
