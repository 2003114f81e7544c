import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type BenchmarkResult, quantile } from '../figures.ts';
import type { BenchCase } from './cases.ts';
import { measureResources, type ResourceUsage } from './measure.ts';

const bytesIn = async (folder: string): Promise<number> => {
  let sum = 0;
  for (const name of await readdir(folder)) if (name.endsWith('.mp4')) sum += (await stat(join(folder, name))).size;
  return sum;
};

export type MeasuredRun = ResourceUsage & { readonly bytes: number };

export const measureInFolder = async (
  folder: string,
  work: (folder: string) => Promise<void>,
): Promise<MeasuredRun> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const figures = await measureResources(() => work(folder));
  const bytes = await bytesIn(folder);
  await rm(folder, { recursive: true, force: true });
  return { ...figures, bytes };
};

const runCommand = async (one: BenchCase, name: string, into: string): Promise<void> => {
  await execa('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...one.command(name, into)]);
};

/** @param keep the path for the master; without it, the master is deleted with the folder */
export const runCommandInFolder = (one: BenchCase, name: string, folder: string, keep?: string): Promise<MeasuredRun> =>
  measureInFolder(folder, async (into) => {
    await runCommand(one, name, into);
    if (keep !== undefined) await link(join(into, 'master.mp4'), keep);
  });

const median = (turns: readonly MeasuredRun[], of: (turn: MeasuredRun) => number): number =>
  quantile(turns.map(of), 0.5);

export const comparisonResults = (
  what: string,
  ours: readonly MeasuredRun[],
  theirs: readonly MeasuredRun[],
  most: { readonly wall: string; readonly cpu: string; readonly bytes: string },
): readonly BenchmarkResult[] => {
  const ratio = (of: (turn: MeasuredRun) => number) => (median(ours, of) / median(theirs, of)).toFixed(2);
  const both = (of: (turn: MeasuredRun) => number, unit: string) =>
    `${median(ours, of).toFixed(1)} / ${median(theirs, of).toFixed(1)} ${unit}`;
  const [wall, cpu] = [({ wall_ms }: MeasuredRun) => wall_ms / 1_000, ({ cpu_ms }: MeasuredRun) => cpu_ms / 1_000];
  const [memory, bytes] = [
    ({ peak_bytes }: MeasuredRun) => peak_bytes / 2 ** 20,
    (turn: MeasuredRun) => turn.bytes / 2 ** 20,
  ];
  return [
    [`${what}: wall clock`, `${ratio(wall)}  (${both(wall, 's')})`, most.wall],
    ['  CPU', `${ratio(cpu)}  (${both(cpu, 's')})`, most.cpu],
    ['  most memory', `${ratio(memory)}  (${both(memory, 'MiB')})`, ''],
    ['  bytes of the films', `${ratio(bytes)}  (${both(bytes, 'MiB')})`, most.bytes],
  ];
};
