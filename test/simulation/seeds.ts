import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './simulate.ts';

export type Judged = Outcome & { readonly took_ms: number };

const PROGRAM = fileURLToPath(new URL('run-seeds.ts', import.meta.url));
/** What a world leaves is collected rarely: a fifteenth of the time is saved. */
const NODE_FLAGS = ['--min-semi-space-size=32', '--max-semi-space-size=32'];
/** A process takes a second to begin. */
const MOST_AT_ONCE = 250;

export type SeedsOptions = {
  readonly from: number;
  readonly count: number;
  /** Names of mutants. */
  readonly mutants: readonly string[];
  readonly processes: number;
  /** Told of each seed as it ends. */
  readonly onSeed?: (judged: Judged) => void;
};

const runSome = async (from: number, count: number, mutants: readonly string[], onSeed: (judged: Judged) => void) => {
  const args = [...NODE_FLAGS, PROGRAM, String(from), String(count), mutants.join(',')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) onSeed(JSON.parse(line));
  const code = await ended;
  if (code !== 0) throw new Error(`the process of seeds ${from} to ${from + count - 1} ended with ${code}`);
};

/** Simulates seeds in processes of their own, in order of the seeds where there is one process. */
export const simulateSeeds = async (options: SeedsOptions): Promise<readonly Judged[]> => {
  const { from, count, mutants, processes, onSeed } = options;
  const all: Judged[] = [];
  const at_once = Math.min(MOST_AT_ONCE, Math.ceil(count / processes));
  let next = from;
  const one = async (): Promise<void> => {
    while (next < from + count) {
      const first = next;
      const some = Math.min(at_once, from + count - first);
      next += some;
      await runSome(first, some, mutants, (judged) => {
        all.push(judged);
        onSeed?.(judged);
      });
    }
  };
  await Promise.all(Array.from({ length: processes }, one));
  return all.toSorted((a, b) => a.seed - b.seed);
};
