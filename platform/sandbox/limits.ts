import { existsSync, readFileSync } from 'node:fs';
import type { ProcessBounds } from './sandbox.ts';

export const MAX_OPEN_FILES = 1024;
/** Limit of threads for programs that state none. It is enough for all of them. */
const THREADS = 512;

/**
 * Limit of address space that uses no memory: mapped files, and Node's reservations. It keeps the kernel's page tables
 * below 130 MiB. Unlimited, they could become as large as the memory.
 */
const UNUSED_BYTES = 64 * 2 ** 30;

export type KernelLimits = Readonly<Record<'as' | 'data' | 'fsize' | 'cpu' | 'nofile' | 'nproc', number>>;

const NAMES = {
  as: 'Max address space',
  data: 'Max data size',
  fsize: 'Max file size',
  cpu: 'Max cpu time',
  nofile: 'Max open files',
  nproc: 'Max processes',
} as const;

/** The hard limits of this process, as proc(5) lists them. Children of this process cannot exceed them. */
const ownLimits = (): KernelLimits => {
  const path = '/proc/self/limits';
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const hard = (name: string): number => {
    const found = new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(text)?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  };
  return {
    as: hard(NAMES.as),
    data: hard(NAMES.data),
    fsize: hard(NAMES.fsize),
    cpu: hard(NAMES.cpu),
    nofile: hard(NAMES.nofile),
    nproc: hard(NAMES.nproc),
  };
};
const OWN = ownLimits();

/** Bytes, seconds and counts as setrlimit(2) takes them; infinite if there is no limit. */
export const kernelLimits = (bounds: ProcessBounds): KernelLimits => {
  const wanted = {
    as: bounds.memory_bytes + UNUSED_BYTES,
    data: bounds.memory_bytes,
    fsize: bounds.file_bytes,
    cpu: Math.max(1, bounds.cpu_s ?? Number.POSITIVE_INFINITY),
    nofile: MAX_OPEN_FILES,
    nproc: bounds.threads ?? THREADS,
  };
  const least = (name: keyof KernelLimits): number => Math.ceil(Math.min(wanted[name], OWN[name]));
  return {
    as: least('as'),
    data: least('data'),
    fsize: least('fsize'),
    cpu: least('cpu'),
    nofile: least('nofile'),
    nproc: least('nproc'),
  };
};

/** The default of Linux. A stack does not count as data; without a limit it could become as large as the memory. */
const STACK_BYTES = 8 * 2 ** 20;

export const prlimitOptions = (limits: KernelLimits, names: readonly (keyof KernelLimits)[]): readonly string[] => [
  '--core=0',
  `--stack=${STACK_BYTES}`,
  ...names.flatMap((name) => (Number.isFinite(limits[name]) ? [`--${name}=${limits[name]}`] : [])),
];
