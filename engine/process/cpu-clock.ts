import { readFileSync } from 'node:fs';

/** The kernel reports CPU time in hundredths of a second (USER_HZ, proc(5)). */
const TICK_MS = 10;
const SAMPLE_MS = 500;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Includes the children that the process has waited for; 0 after its end. */
const ticksOf = (pid: number): number => {
  // The program's name, in parentheses, may itself contain parentheses, so the fields after the last one are read.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
};

const childrenOf = (pid: number): readonly number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

const ticksOfTree = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + ticksOfTree(child), ticksOf(pid));

/** Both return ms. Call `stop` after the end of the program: it returns the CPU time of the whole program. */
export type CpuClock = { readonly now: () => number; readonly stop: () => number };

/** Samples twice a second. The time after the last sample counts as one busy core. */
export const cpuClock = (pid: number): CpuClock => {
  let seen_ms = 0;
  let seen_at = performance.now();
  const sample = (): void => {
    const now_ms = ticksOfTree(pid) * TICK_MS;
    if (now_ms > seen_ms) [seen_ms, seen_at] = [now_ms, performance.now()];
  };
  const timer = setInterval(sample, SAMPLE_MS);
  timer.unref();
  return {
    now: () => {
      sample();
      return seen_ms;
    },
    stop: () => {
      clearInterval(timer);
      return Math.round(seen_ms + Math.min(SAMPLE_MS, performance.now() - seen_at));
    },
  };
};
