import { constants } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { type ConfinedProgram, NOT_STARTED, type Sandbox } from '../../platform/sandbox/sandbox.ts';
import { endOf, spawnConfined } from '../../platform/sandbox/spawn-confined.ts';
import { watchFolder } from '../../platform/sandbox/watch-folder.ts';
import { cpuClock } from './cpu-clock.ts';
import { type EngineFault, exceptionFault, infrastructureFault } from './engine-fault.ts';

export type ProcessLimits = {
  readonly signal: AbortSignal;
  /** Wall clock left for the render. */
  readonly budget_ms: number;
  /** Every program runs in it. */
  readonly sandbox: Sandbox;
  /** Called with the CPU time of each program when it ends. */
  readonly on_cpu?: (cpu_ms: number) => void;
};

/** The limits with what is left of a budget that starts now. */
export const remainingLimits = ({ budget_ms, ...limits }: ProcessLimits): (() => ProcessLimits) => {
  const deadline = performance.now() + budget_ms;
  return () => ({ ...limits, budget_ms: deadline - performance.now() });
};

export type Finished = { readonly exit_code: number; readonly stdout: string; readonly stderr: string };

/** The last line of a failed program's output. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const STDERR_KEPT = 16 * 1024;
const STDOUT_KEPT = 8 * 1024 * 1024;
/** Characters of one line, and of output without lines. */
const MOST_LINE = STDOUT_KEPT;
/** Characters of a program's whole output: ffprobe writes half of it for two hours at 120 frames per second. */
const MOST_SAID = 2 ** 29;
/** Characters that each line counts for, however short. */
const LINE_COST = 100;
/** Shells and wrappers add the number of the signal that ended a program. */
const SIGNALLED = 128;
const SIGNALS = 65;

/** The whole process group: a program may have started others. */
const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended already
  }
};

/** Running process groups, killed when this process exits. One exit listener for all of them. */
const running = new Set<number>();
process.once('exit', () => running.forEach(killGroup));

/** A program that is running, and its standard input. */
export type OpenProgram = {
  readonly write: (text: string) => void;
  readonly end: () => void;
  /** CPU time so far. */
  readonly cpuMs: () => number;
};

export type ProgramRun = ConfinedProgram & {
  readonly input?: string;
  /** Called with each line of standard output, which is then not kept. */
  readonly on_line?: (line: string) => void;
  /** Called with each line of standard error, which is kept, too. */
  readonly on_error_line?: (line: string) => void;
  /** Called with a writer of standard input, which stays open until `end`. */
  readonly on_open?: (opened: OpenProgram) => void;
};

type Stopped = 'cancelled' | 'over_budget' | 'said_too_much' | 'wrote_too_much' | 'misread';

/** A file exceeded its bound. Bounds exceed what programs need, so this counts as a full disk. */
const TOO_LARGE: readonly string[] = ['SIGXFSZ', `signal ${constants.signals.SIGXFSZ}`];

const died = (name: string, signal: string): EngineFault =>
  TOO_LARGE.includes(signal)
    ? infrastructureFault(`${name} exceeded the size limit of a file`)
    : { tag: 'decoder_died', message: `${name} was ended by ${signal}: it crashed or exceeded its limits` };

/**
 * Runs a program in the sandbox, in its own process group, which is killed when the signal aborts or the budget is spent.
 * Keeps the last 16 KiB of standard error. Left: cancelled, over budget, died, or not started.
 */
export const runProcess = async (
  { input, on_line, on_error_line, on_open, ...confined }: ProgramRun,
  { signal, budget_ms, sandbox, on_cpu }: ProcessLimits,
): Promise<E.Either<EngineFault, Finished>> => {
  if (signal.aborted) return E.left({ tag: 'cancelled' });
  const { program } = confined;
  try {
    const command = await sandbox.confine(confined);
    const child = spawnConfined(command, input === undefined && on_open === undefined ? 'ignore' : 'pipe');
    let ended: Stopped | null = null;
    const stop = (why: Stopped) => () => {
      ended ??= why;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const onAbort = stop('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    if (child.pid !== undefined) running.add(child.pid);
    const timer = setTimeout(stop('over_budget'), Math.max(0, budget_ms));
    const timed = on_cpu !== undefined || on_open !== undefined;
    const clock = child.pid === undefined || !timed ? null : cpuClock(child.pid);

    const { writes, bounds } = confined;
    const watch =
      writes === undefined
        ? null
        : watchFolder(writes, bounds.folder_bytes ?? bounds.file_bytes, stop('wrote_too_much'));

    let mistake: EngineFault | null = null;
    /** Called from a stream, where an exception would end this process. */
    const readLine = (read: ProgramRun['on_line'], line: string): void => {
      try {
        if (mistake === null) read?.(line);
      } catch (error) {
        mistake = exceptionFault(error);
        stop('misread')();
      }
    };

    let stdout = '';
    let stderr = '';
    let error_line = '';
    let said = 0;
    const count = (chunk: string, line: string): void => {
      said += chunk.length;
      if (said > MOST_SAID || line.length > MOST_LINE) stop('said_too_much')();
    };
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-STDERR_KEPT);
      count(chunk, '');
      if (on_error_line === undefined) return;
      const [rest = '', ...further] = chunk.split('\n');
      error_line = (error_line + rest).slice(-STDERR_KEPT);
      for (const next of further) {
        readLine(on_error_line, error_line);
        error_line = next;
      }
    });
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      if (ended !== null) return;
      if (on_line === undefined) stdout = (stdout + chunk).slice(-STDOUT_KEPT);
      else {
        const [rest = '', ...further] = chunk.split('\n');
        stdout += rest;
        said += LINE_COST * further.length;
        for (const next of further) {
          readLine(on_line, stdout);
          stdout = next;
        }
      }
      count(chunk, on_line === undefined ? '' : stdout);
    });
    // EPIPE of a program that died: its exit says why.
    child.stdin?.on('error', () => undefined);
    if (input !== undefined) child.stdin?.end(input);
    if (on_open !== undefined) {
      on_open({
        write: (text) => child.stdin?.write(text),
        end: () => child.stdin?.end(),
        cpuMs: () => clock?.now() ?? 0,
      });
    }
    const { exit_code, signal: ended_by, fault } = await endOf(child);
    clearTimeout(timer);
    watch?.stop();
    signal.removeEventListener('abort', onAbort);
    const cpu_ms = clock?.stop();
    if (cpu_ms !== undefined) on_cpu?.(cpu_ms);
    if (child.pid !== undefined) {
      running.delete(child.pid);
      killGroup(child.pid);
    }
    if (mistake !== null) return E.left(mistake);
    if (ended === 'cancelled') return E.left({ tag: 'cancelled' });
    if (ended === 'over_budget')
      return E.left({
        tag: 'over_budget',
        message: `exceeded the limit of ${Math.round(budget_ms / 1000)} s`,
      });
    if (ended !== null)
      return E.left({
        tag: 'decoder_died',
        message: `${program} ${ended === 'said_too_much' ? 'said' : 'wrote'} more than its limit`,
      });
    if (ended_by !== null) return E.left(died(program, ended_by));
    if (exit_code === null) return E.left(infrastructureFault(`${program} was not started: ${messageOf(fault)}`));
    if (NOT_STARTED.has(exit_code) || /^bwrap: /.test(stderr))
      return E.left(infrastructureFault(`${program} could not be started: ${lastLine(stderr)}`));
    if (exit_code > SIGNALLED && exit_code < SIGNALLED + SIGNALS)
      return E.left(died(program, `signal ${exit_code - SIGNALLED}`));
    return E.right({ exit_code, stdout, stderr });
  } catch (error) {
    return E.left(infrastructureFault(`${program} could not be confined: ${messageOf(error)}`));
  }
};

/** Retries once if a decoder died: this machine may have been at fault. */
export const retryOnceAfterCrash = async <A>(
  ask: () => Promise<E.Either<EngineFault, A>>,
): Promise<E.Either<EngineFault, A>> => {
  const first = await ask();
  return E.isLeft(first) && first.left.tag === 'decoder_died' ? await ask() : first;
};
