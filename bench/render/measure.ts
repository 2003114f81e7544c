import { readFile } from 'node:fs/promises';

export type ResourceUsage = { readonly wall_ms: number; readonly cpu_ms: number; readonly peak_bytes: number };

const TICK_MS = 10;
const SAMPLE_EVERY_MS = 200;
const PAGE_BYTES = 4096;

/** User and system time of this process and its ended children (proc(5): fields 14 to 17). */
const cpuMs = async (): Promise<number> => {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
};

/**
 * Memory of the process and its descendants. It reads no other processes, because the measured CPU time includes this
 * reading.
 */
const residentBytes = async (pid: number): Promise<number> => {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const own = Number((await read('statm')).split(' ')[1] ?? 0) * PAGE_BYTES;
  const children = (await read(`task/${pid}/children`)).split(' ').filter((child) => child !== '');
  const theirs = await Promise.all(children.map((child) => residentBytes(Number(child))));
  return theirs.reduce((sum, bytes) => sum + bytes, own);
};

/** Nothing else may run in this process at the same time. Linux only. */
export const measureResources = async (work: () => Promise<void>): Promise<ResourceUsage> => {
  const [cpu_before, resident_before] = [await cpuMs(), await residentBytes(process.pid)];
  let peak_bytes = 0;
  let sampling = Promise.resolve();
  const timer = setInterval(() => {
    sampling = residentBytes(process.pid).then((bytes) => {
      peak_bytes = Math.max(peak_bytes, bytes - resident_before);
    });
  }, SAMPLE_EVERY_MS);
  const began = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const wall_ms = performance.now() - began;
  await sampling;
  return { wall_ms, cpu_ms: (await cpuMs()) - cpu_before, peak_bytes };
};
