import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { type ConfinedProgram, NOT_STARTED_EXIT_CODES, type Sandbox } from '../../platform/sandbox/sandbox.ts';
import { endOf, spawnConfined } from '../../platform/sandbox/spawn-confined.ts';
import { watchFolder } from '../../platform/sandbox/watch-folder.ts';
import { type CpuClock, cpuClock } from './cpu-clock.ts';
import { type EngineFault, exceptionFault, infrastructureFault } from './engine-fault.ts';

export type ProcessLimits = {
  readonly signal: AbortSignal;
  readonly budget_ms: number;
  readonly sandbox: Sandbox;
  /** Called with the CPU time of each program when it ends. */
  readonly on_cpu?: (cpu_ms: number) => void;
};

/** Starts the budget now. The returned function gives the limits with the remaining time. */
export const remainingLimits = ({ budget_ms, ...limits }: ProcessLimits): (() => ProcessLimits) => {
  const deadline = performance.now() + budget_ms;
  return () => ({ ...limits, budget_ms: deadline - performance.now() });
};

export type ProcessResult = { readonly exit_code: number; readonly stdout: string; readonly stderr: string };

/** A failed program states the reason in the last line of its output. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const MAX_STDERR_KEPT = 16 * 1024;
const MAX_STDOUT_KEPT = 8 * 1024 * 1024;
/** Maximum characters of one line, and of output without line breaks. */
const MAX_LINE = MAX_STDOUT_KEPT;
/**
 * Maximum characters of a program's whole output. For two hours at 120 frames per second, ffprobe writes half of this.
 */
const MAX_OUTPUT = 2 ** 29;
/** Characters that each line adds to the length of the output, because even an empty line takes time to read. */
const LINE_COST = 100;
/** A shell or wrapper exits with this plus the number of the signal that ended its program. */
const SIGNAL_EXIT_CODE = 128;
const SIGNALS = 65;

/** Kills the process group, because a program may have started others. */
const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
};

/** Process groups to kill when this process exits. One exit listener serves them all. */
const runningGroups = new Set<number>();
process.once('exit', () => runningGroups.forEach(killGroup));

export type RunningProgram = {
  readonly write: (text: string) => void;
  readonly end: () => void;
  readonly cpuMs: () => number;
};

export type ProgramRunOptions = ConfinedProgram & {
  readonly input?: string;
  /** Called with each line of standard output, which is then not kept. */
  readonly on_line?: (line: string) => void;
  /** Called with each line of standard error, which is also kept. */
  readonly on_error_line?: (line: string) => void;
  /** Called with a writer of standard input, which stays open until `end`. */
  readonly on_open?: (opened: RunningProgram) => void;
};

type StopReason = 'cancelled' | 'over_budget' | 'output_too_long' | 'files_too_large' | 'reader_failed';

/**
 * Signals for a file that exceeded its bound. Programs need far less than the bounds, so the machine is at fault, as
 * with a full disk.
 */
const TOO_LARGE: readonly string[] = ['SIGXFSZ', `signal ${constants.signals.SIGXFSZ}`];

const signalFault = (name: string, signal: string): EngineFault =>
  TOO_LARGE.includes(signal)
    ? infrastructureFault(`${name} exceeded the size limit of a file`)
    : { tag: 'decoder_died', message: `${name} was ended by ${signal}: it crashed or exceeded its limits` };

type Stopper = {
  readonly stop: (reason: StopReason) => void;
  readonly reason: () => StopReason | null;
};

const openStopper = (pid: number | undefined): Stopper => {
  let first: StopReason | null = null;
  return {
    stop: (reason) => {
      first ??= reason;
      if (pid !== undefined) killGroup(pid);
    },
    reason: () => first,
  };
};

type Output = Pick<ProcessResult, 'stdout' | 'stderr'> & {
  readonly fault: EngineFault | null;
};

/** Stops the program when its outputs exceed their limits or a line reader throws. */
const readOutput = (
  child: ChildProcess,
  { on_line, on_error_line }: Pick<ProgramRunOptions, 'on_line' | 'on_error_line'>,
  { stop, reason }: Stopper,
): (() => Output) => {
  let fault: EngineFault | null = null;
  // A stream calls this, so an exception would end this process.
  const readLine = (read: (line: string) => void, line: string): void => {
    try {
      if (fault === null) read(line);
    } catch (error) {
      fault = exceptionFault(error);
      stop('reader_failed');
    }
  };
  let stdout = '';
  let stderr = '';
  let error_line = '';
  let output_length = 0;
  const count = (chunk: string, line: string): void => {
    output_length += chunk.length;
    if (output_length > MAX_OUTPUT || line.length > MAX_LINE) stop('output_too_long');
  };
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_KEPT);
    count(chunk, '');
    if (on_error_line === undefined) return;
    const [rest = '', ...further] = chunk.split('\n');
    error_line = (error_line + rest).slice(-MAX_STDERR_KEPT);
    for (const next of further) {
      readLine(on_error_line, error_line);
      error_line = next;
    }
  });
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (reason() !== null) return;
    if (on_line === undefined) stdout = (stdout + chunk).slice(-MAX_STDOUT_KEPT);
    else {
      const [rest = '', ...further] = chunk.split('\n');
      stdout += rest;
      output_length += LINE_COST * further.length;
      for (const next of further) {
        readLine(on_line, stdout);
        stdout = next;
      }
    }
    count(chunk, on_line === undefined ? '' : stdout);
  });
  return () => ({ stdout, stderr, fault });
};

const writeInput = (child: ChildProcess, { input, on_open }: ProgramRunOptions, clock: CpuClock | null): void => {
  // Ignores EPIPE, which a crashed program causes. Its exit code or signal says why it crashed.
  child.stdin?.on('error', () => undefined);
  if (input !== undefined) child.stdin?.end(input);
  on_open?.({
    write: (text) => child.stdin?.write(text),
    end: () => child.stdin?.end(),
    cpuMs: () => clock?.now() ?? 0,
  });
};

const stopFault = (program: string, reason: StopReason, budget_ms: number): EngineFault => {
  switch (reason) {
    case 'cancelled':
      return { tag: 'cancelled' };
    case 'over_budget':
      return { tag: 'over_budget', message: `exceeded the limit of ${Math.round(budget_ms / 1000)} s` };
    case 'output_too_long':
      return { tag: 'decoder_died', message: `${program} printed more than its limit` };
    default:
      return { tag: 'decoder_died', message: `${program} wrote more than its limit` };
  }
};

const resultOf = (
  program: string,
  { exit_code, signal, fault }: Awaited<ReturnType<typeof endOf>>,
  { stdout, stderr }: Output,
): E.Either<EngineFault, ProcessResult> => {
  if (signal !== null) return E.left(signalFault(program, signal));
  if (exit_code === null) return E.left(infrastructureFault(`${program} was not started: ${messageOf(fault)}`));
  if (NOT_STARTED_EXIT_CODES.has(exit_code) || /^bwrap: /.test(stderr))
    return E.left(infrastructureFault(`${program} could not be started: ${lastLine(stderr)}`));
  if (exit_code > SIGNAL_EXIT_CODE && exit_code < SIGNAL_EXIT_CODE + SIGNALS)
    return E.left(signalFault(program, `signal ${exit_code - SIGNAL_EXIT_CODE}`));
  return E.right({ exit_code, stdout, stderr });
};

/**
 * Kills the program's process group when the signal aborts or the budget is spent. Keeps the last 16 KiB of standard
 * error. Left: cancelled, over budget, crashed, or not started.
 */
export const runProcess = async (
  run: ProgramRunOptions,
  { signal, budget_ms, sandbox, on_cpu }: ProcessLimits,
): Promise<E.Either<EngineFault, ProcessResult>> => {
  if (signal.aborted) return E.left({ tag: 'cancelled' });
  const { program, writes, bounds, input, on_open } = run;
  try {
    const command = await sandbox.confine(run);
    const child = spawnConfined(command, input === undefined && on_open === undefined ? 'ignore' : 'pipe');
    const { pid } = child;
    const stopper = openStopper(pid);
    const onAbort = (): void => stopper.stop('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    if (pid !== undefined) runningGroups.add(pid);
    const timer = setTimeout(() => stopper.stop('over_budget'), Math.max(0, budget_ms));
    const needs_clock = on_cpu !== undefined || on_open !== undefined;
    const clock = pid === undefined || !needs_clock ? null : cpuClock(pid);
    const watch =
      writes === undefined
        ? null
        : watchFolder(writes, bounds.folder_bytes ?? bounds.file_bytes, () => stopper.stop('files_too_large'));
    const output = readOutput(child, run, stopper);
    writeInput(child, run, clock);

    const end = await endOf(child);
    clearTimeout(timer);
    watch?.stop();
    signal.removeEventListener('abort', onAbort);
    const cpu_ms = clock?.stop();
    if (cpu_ms !== undefined) on_cpu?.(cpu_ms);
    if (pid !== undefined) {
      runningGroups.delete(pid);
      killGroup(pid);
    }
    const { fault } = output();
    if (fault !== null) return E.left(fault);
    const reason = stopper.reason();
    return reason === null ? resultOf(program, end, output()) : E.left(stopFault(program, reason, budget_ms));
  } catch (error) {
    return E.left(infrastructureFault(`${program} could not be started in the sandbox: ${messageOf(error)}`));
  }
};

/** Tries once more after a crash, because the machine may have caused the first one. */
export const retryOnceAfterCrash = async <A>(
  ask: () => Promise<E.Either<EngineFault, A>>,
): Promise<E.Either<EngineFault, A>> => {
  const first = await ask();
  return E.isLeft(first) && first.left.tag === 'decoder_died' ? await ask() : first;
};
