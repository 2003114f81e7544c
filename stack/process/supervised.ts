import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { type BoundedLog, boundedLog, readLines } from './bounded-log.ts';
import type { PidFile } from './pid-file.ts';
import { pidsWithVariable, processStartId, signalGroup } from './process-id.ts';
import { waitUntil } from './wait.ts';

/**
 * The variable in the environment of a process that identifies its stack and the started process from which it
 * descends; see pidsWithVariable.
 */
export const PROCESS_MARK_VARIABLE = 'RENDERING_STACK_PROCESS';

/** The value of PROCESS_MARK_VARIABLE. It ends with `;`, so that `worker` does not match the beginning of `worker-2`. */
export const processMark = (stack: StackId, name: string): string => `${stack.data}:${stack.run}:${name};`;

export type StackId = { readonly data: string; readonly run: string };

const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_LAST_MS = 30_000;
/** After this lifetime a process counts as recovered: the next crash begins with the shortest backoff again. */
const BACKOFF_FORGOTTEN_MS = 60_000;

/** Ms to wait before the next start, from the previous wait and the lifetime of the process. */
export const nextBackoff = (before_ms: number, lived_ms: number): number =>
  before_ms === 0 || lived_ms >= BACKOFF_FORGOTTEN_MS ? BACKOFF_FIRST_MS : Math.min(before_ms * 2, BACKOFF_LAST_MS);

/** After this many crashes during a start, the process counts as unable to start. */
const CRASHES_WHILE_AWAITED = 3;

export type ProcessSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves to true when the process is ready. It is called repeatedly, so each check needs a short timeout. */
  readonly ready: () => Promise<boolean>;
  readonly ready_timeout_ms: number;
  /** Ms between SIGTERM and SIGKILL. */
  readonly grace_ms: number;
  /** Runs after a crash, before the next start: cleans up the state that the dead process left elsewhere. */
  readonly cleanUp?: (() => Promise<void>) | undefined;
};

/** The state that processes of one stack share. */
export type SupervisionContext = {
  readonly stackId: StackId;
  readonly logsDir: string;
  readonly pids: PidFile;
  readonly onLine: (name: string, line: string) => void;
  readonly onCrash: (name: string, message: string) => void;
};

export type Supervised = {
  readonly name: string;
  readonly pid: () => number | null;
  readonly restarts: () => number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /**
   * Waits until the process is ready, also if it crashes once or twice. Throws with its last lines after repeated
   * crashes or after `ready_timeout_ms`.
   */
  readonly untilReady: (signal?: AbortSignal) => Promise<void>;
  /** Sends SIGKILL to its whole group and prevents a restart; for callers that cannot wait for `stop`. */
  readonly killGroup: () => void;
  /** Sends SIGTERM, then SIGKILL to the rest after the grace time; resolves when no process is left. */
  readonly stop: (grace_ms?: number) => Promise<void>;
};

const killOne = (pid: number, signal: NodeJS.Signals = 'SIGKILL'): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
};

/** Starts the process in a group of its own: Ctrl-C on the terminal then reaches only the launcher. */
const spawn = (spec: ProcessSpec, mark: string) =>
  execa(spec.command, [...spec.args], {
    cwd: spec.cwd,
    env: { ...spec.env, [PROCESS_MARK_VARIABLE]: mark },
    extendEnv: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
  });

/**
 * Resolves to the reason of the exit. It does not wait for the end of the output, because a grandchild may keep the
 * output open.
 */
const exitOf = (child: ReturnType<typeof spawn>): Promise<string> =>
  new Promise<string>((resolve) => {
    child.nodeChildProcess.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
    // A command that cannot be started may emit no exit event; then only the result of `execa` has its fault.
    const awaitResult = async (): Promise<void> => {
      const result = await child;
      resolve(result.failed ? (result.originalMessage ?? result.message ?? 'failed') : 'exit code 0');
    };
    void awaitResult();
  });

/** Kills the rest of the process group and all descendants, which must not run beside the next process. */
const killRest = async (leader: number, mark: string): Promise<void> => {
  signalGroup(leader, 'SIGKILL');
  for (const stray of pidsWithVariable(PROCESS_MARK_VARIABLE, mark)) killOne(stray);
  await waitUntil(async () => !signalGroup(leader, 0), { timeout_ms: 5_000, every_ms: 20, message: () => '' }).catch(
    () => undefined,
  );
};

/** Starts a process in a group of its own, and restarts it with backoff whenever it ends. */
export const supervise = (spec: ProcessSpec, context: SupervisionContext): Supervised => {
  const log: BoundedLog = boundedLog(join(context.logsDir, `${spec.name}.log`));
  const mark = processMark(context.stackId, spec.name);
  const stopping = new AbortController();
  let pid: number | null = null;
  let restarts = 0;
  let crashes = 0;
  let lastCrash = '';

  const runOnce = async (): Promise<void> => {
    const child = spawn(spec, mark);
    const started = child.pid;
    if (started !== undefined) {
      pid = started;
      context.pids.add({ pid: started, started: processStartId(started) ?? 'unknown', name: spec.name });
    }
    const onLine = (line: string) => {
      log.write(line);
      context.onLine(spec.name, line);
    };
    readLines(child.stdout, onLine);
    readLines(child.stderr, onLine);
    lastCrash = await exitOf(child);
    if (started !== undefined) {
      await killRest(started, mark);
      context.pids.remove(started);
    }
    pid = null;
  };

  const cleanUp = async (): Promise<void> => {
    if (stopping.signal.aborted) return;
    try {
      await spec.cleanUp?.();
    } catch (fault) {
      context.onCrash(spec.name, `cleaning up after ${spec.name} failed: ${fault}`);
    }
  };

  const live = async (): Promise<void> => {
    let backoff_ms = 0;
    while (!stopping.signal.aborted) {
      const began = Date.now();
      await runOnce();
      if (stopping.signal.aborted) return;
      crashes += 1;
      backoff_ms = nextBackoff(backoff_ms, Date.now() - began);
      context.onCrash(spec.name, `${spec.name} ended (${lastCrash}); restarting in ${backoff_ms / 1000} s`);
      await delay(backoff_ms, undefined, { signal: stopping.signal }).catch(() => undefined);
      await cleanUp();
      restarts += 1;
    }
  };
  const life = live();

  return {
    name: spec.name,
    pid: () => pid,
    restarts: () => restarts,
    kill: (signal) => {
      if (pid !== null) killOne(pid, signal);
    },
    killGroup: () => {
      stopping.abort();
      if (pid !== null) signalGroup(pid, 'SIGKILL');
    },
    untilReady: async (signal) => {
      const before = crashes;
      const hopeless = () => crashes - before >= CRASHES_WHILE_AWAITED;
      const lastLines = (what: string): string =>
        [`${what}. Its last lines:`, ...log.lastLines().map((line) => `  ${spec.name} | ${line}`)].join('\n');
      const crashed = () => `${spec.name} crashed ${crashes - before} times while starting (${lastCrash})`;
      const late = () =>
        `${spec.name} was not ready within ${spec.ready_timeout_ms / 1000} s${lastCrash === '' ? '' : ` (last crash: ${lastCrash})`}`;
      await waitUntil(async () => hopeless() || (pid !== null && (await spec.ready())), {
        timeout_ms: spec.ready_timeout_ms,
        signal,
        message: () => lastLines(late()),
      });
      if (hopeless()) throw new Error(lastLines(crashed()));
    },
    stop: async (grace_ms = spec.grace_ms) => {
      stopping.abort();
      if (pid !== null) {
        const leader = pid;
        killOne(leader, 'SIGTERM');
        const timer = setTimeout(() => signalGroup(leader, 'SIGKILL'), grace_ms);
        await life;
        clearTimeout(timer);
      }
      await life;
      log.close();
    },
  };
};
