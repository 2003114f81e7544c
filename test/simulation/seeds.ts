import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutants.ts';
import type { Outcome } from './simulate.ts';

export type Judged = Outcome & { readonly mutants: readonly Mutant[]; readonly took_ms: number };

const PROGRAM = fileURLToPath(new URL('run-seeds.ts', import.meta.url));
/** Collects a world's garbage rarely, to save time. */
const NODE_FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
/** Many seeds share a process, because a process takes a second to start. */
const MAX_SEEDS_OF_A_PROCESS = 1_000;

export type Worlds = { readonly from: number; readonly count: number; readonly mutants: readonly Mutant[] };

export type SeedsOptions = Worlds & {
  readonly processes: number;
  readonly onSeed?: (judged: Judged) => void;
};

export const worldsText = ({ from, count, mutants }: Worlds): string => [`${from}+${count}`, ...mutants].join('@');

export const simulateWorlds = async (
  all: readonly Worlds[],
  onSeed: (judged: Judged) => void = () => undefined,
): Promise<readonly Judged[]> => {
  const worlds = all.map(worldsText).join();
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM, worlds], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const found: Judged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const judged: Judged = JSON.parse(line);
    found.push(judged);
    onSeed(judged);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the process of the worlds ${worlds} ended with ${code}`);
  return found;
};

/** Simulates seeds in separate processes; with one process, in the order of seeds. */
export const simulateSeeds = async (options: SeedsOptions): Promise<readonly Judged[]> => {
  const { from, count, mutants, processes, onSeed } = options;
  const all: Judged[] = [];
  const at_once = Math.min(MAX_SEEDS_OF_A_PROCESS, Math.ceil(count / processes));
  let next = from;
  const one = async (): Promise<void> => {
    while (next < from + count) {
      const first = next;
      const some = Math.min(at_once, from + count - first);
      next += some;
      all.push(...(await simulateWorlds([{ from: first, count: some, mutants }], onSeed)));
    }
  };
  await Promise.all(Array.from({ length: processes }, one));
  return all.toSorted((a, b) => a.seed - b.seed);
};
