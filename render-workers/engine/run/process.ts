import { existsSync, readFileSync } from 'node:fs';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { type EngineFault, surroundingsFault } from '../engine-fault.ts';

/** What a program may take at most: memory of its own, and of disk for each file. Past it, it fails. */
export type ProcessBounds = { readonly memory_bytes: number; readonly file_bytes: number };

export type ProcessLimits = {
  readonly signal: AbortSignal;
  /** Wall clock that is left for the render. */
  readonly budget_ms: number;
  readonly bounds?: ProcessBounds;
};

/** What is left of a budget that is spent from now on. */
export const countingDown = ({
  signal,
  budget_ms,
}: Pick<ProcessLimits, 'signal' | 'budget_ms'>): (() => ProcessLimits) => {
  const deadline = performance.now() + budget_ms;
  return () => ({ signal, budget_ms: deadline - performance.now() });
};

export type Finished = { readonly exit_code: number; readonly stdout: string; readonly stderr: string };

/** What a program that failed said at the end. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const STDERR_KEPT = 16 * 1024;
const STDOUT_KEPT = 8 * 1024 * 1024;

/** The whole group: a program may have started others. */
const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile
  }
};

/** Where there is one (Linux), a wrapper by which the kernel kills the program when this process dies, by kill -9 too. */
const SETPRIV = '/usr/bin/setpriv';
const WITH_PARENT = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : [];
const PRLIMIT = '/usr/bin/prlimit';
const CAN_BOUND = existsSync(PRLIMIT);

/** What this process may give at most, by proc(5); it may be bounded itself, and may not give more then. */
const hardLimit = (name: string): number => {
  const limits = CAN_BOUND ? readFileSync('/proc/self/limits', 'utf8') : '';
  const hard = new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(limits)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
};
const OWN_BOUNDS = { memory_bytes: hardLimit('Max data size'), file_bytes: hardLimit('Max file size') };

/** Memory is bounded as data: address space counts what is merely reserved, which no formula foresees. */
const withBounds = (bounds: ProcessBounds | undefined): readonly string[] => {
  if (bounds === undefined || !CAN_BOUND) return [];
  const least = (name: keyof ProcessBounds): number => Math.round(Math.min(bounds[name], OWN_BOUNDS[name]));
  return [PRLIMIT, `--data=${least('memory_bytes')}`, `--fsize=${least('file_bytes')}`, '--core=0', '--'];
};

/** By which a wrapper says that the program itself could not be started. */
const NOT_STARTED: ReadonlySet<number> = new Set(WITH_PARENT.length > 0 || CAN_BOUND ? [126, 127] : []);

/** Groups that are running, killed with this process where it still can. One listener, however many there are. */
const running = new Set<number>();
process.once('exit', () => running.forEach(killGroup));

type Options = {
  readonly program: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Given each whole line of standard output, which then is not kept. */
  readonly on_line?: (line: string) => void;
  /** Instead of those of the limits. */
  readonly bounds?: ProcessBounds;
};

/**
 * Runs a program in a process group of its own, which is killed at once when the signal aborts or the budget is spent.
 * Of its standard error the last 16 KiB are kept. Left: cancelled, over budget, or it could not be started.
 */
export const runProcess = async (
  { program, args, input, env, on_line, bounds }: Options,
  { signal, budget_ms, bounds: usual }: ProcessLimits,
): Promise<E.Either<EngineFault, Finished>> => {
  if (signal.aborted) return E.left({ tag: 'cancelled' });
  const [first = program, ...rest] = [...WITH_PARENT, ...withBounds(bounds ?? usual), program, ...args];
  const child = execa(first, rest, {
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    extendEnv: true,
    ...(env === undefined ? {} : { env }),
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  let ended: 'cancelled' | 'over_budget' | null = null;
  const stop = (why: 'cancelled' | 'over_budget') => () => {
    ended ??= why;
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const onAbort = stop('cancelled');
  signal.addEventListener('abort', onAbort, { once: true });
  if (child.pid !== undefined) running.add(child.pid);
  const timer = setTimeout(stop('over_budget'), Math.max(0, budget_ms));

  let stdout = '';
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-STDERR_KEPT);
  });
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout = (stdout + chunk).slice(-STDOUT_KEPT);
    if (on_line === undefined) return;
    const lines = stdout.split('\n');
    stdout = lines.pop() ?? '';
    for (const line of lines) on_line(line);
  });
  const result = await child;
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (child.pid !== undefined) {
    running.delete(child.pid);
    killGroup(child.pid);
  }
  if (ended === 'cancelled') return E.left({ tag: 'cancelled' });
  if (ended === 'over_budget')
    return E.left({
      tag: 'over_budget',
      message: `took longer than the ${Math.round(budget_ms / 1000)} s it is allowed`,
    });
  if (result.exitCode === undefined)
    return E.left(
      surroundingsFault(`${program} ended without an exit code: ${result.signal ?? result.code ?? 'not started'}`),
    );
  if (NOT_STARTED.has(result.exitCode)) return E.left(surroundingsFault(`${program} could not be started`));
  return E.right({ exit_code: result.exitCode, stdout, stderr });
};
