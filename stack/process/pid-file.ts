import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type PidEntry = { readonly pid: number; readonly started: string; readonly name: string };

export const LAUNCHER = 'launcher';

export const formatPids = (entries: readonly PidEntry[]): string =>
  entries.map((entry) => `${entry.pid} ${entry.started} ${entry.name}\n`).join('');

/** Skips a line that a crash cut off. */
export const parsePids = (text: string): readonly PidEntry[] =>
  text.split('\n').flatMap((line) => {
    const [pid = '', started = '', name = ''] = line.split(' ');
    return /^[1-9]\d*$/.test(pid) && started !== '' && name !== '' ? [{ pid: Number(pid), started, name }] : [];
  });

/**
 * A living launcher still owns its processes. Processes of a dead launcher with the recorded start time are leftovers.
 * A pid with another start time now belongs to another program.
 */
export const findLeftovers = (
  entries: readonly PidEntry[],
  processStart: (pid: number) => string | null,
): { readonly owner: PidEntry | null; readonly leftovers: readonly PidEntry[] } => {
  const live = entries.filter((entry) => processStart(entry.pid) === entry.started);
  const owner = live.find((entry) => entry.name === LAUNCHER) ?? null;
  return { owner, leftovers: owner === null ? live : [] };
};

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
