import { readdir, readFile } from 'node:fs/promises';

export type ProcessUsage = { readonly cpu_ms: number; readonly resident_bytes: number };

const TICK_MS = 10;
const PAGE_BYTES = 4096;

type Stat = { readonly pid: number; readonly parent: number; readonly usage: ProcessUsage };

/** Fields of /proc/<pid>/stat after the name: 1 parent, 11 utime, 12 stime, 21 resident pages (proc(5)). */
const statOf = async (pid: number): Promise<Stat | null> => {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, utime = 0, stime = 0, pages = 0] = [fields[1], fields[11], fields[12], fields[21]];
    return { pid, parent, usage: { cpu_ms: (utime + stime) * TICK_MS, resident_bytes: pages * PAGE_BYTES } };
  } catch {
    return null;
  }
};

/** The usage of each root with its descendants. Linux only: it reads /proc. */
export const processUsageOf = async (roots: readonly number[]): Promise<readonly ProcessUsage[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = (await Promise.all(pids.map(statOf))).filter((stat) => stat !== null);
  const total = (pid: number): ProcessUsage => {
    const own = stats.find((stat) => stat.pid === pid)?.usage ?? { cpu_ms: 0, resident_bytes: 0 };
    return stats
      .filter((stat) => stat.parent === pid)
      .map((child) => total(child.pid))
      .reduce(
        (sum, { cpu_ms, resident_bytes }) => ({
          cpu_ms: sum.cpu_ms + cpu_ms,
          resident_bytes: sum.resident_bytes + resident_bytes,
        }),
        own,
      );
  };
  return roots.map(total);
};
