/**
 * How decoders are kept from everything but their own files.
 * - `namespaces`: bubblewrap. No network, no other process, no file but those named, and the filter of system calls.
 * - `filtered`: for machines that forbid namespaces. Limits, the filter, where this process is root's another user, and
 *   where the kernel has it, Landlock.
 * - `none`: limits alone.
 */
export type SandboxMode = 'namespaces' | 'filtered' | 'none';

/** What a process may use at most. Beyond it, it fails or is killed. */
export type ProcessBounds = {
  /** Private memory, by RLIMIT_DATA: the system-call filter lets it have no other, and no child processes. */
  readonly memory_bytes: number;
  /** Of each file that it writes. */
  readonly file_bytes: number;
  /** Of all files in its folder; sampled. As much as of one file if left out. */
  readonly folder_bytes?: number;
  /** Of all its threads together. Unlimited where left out: then the wall clock ends it. */
  readonly cpu_s?: number;
  readonly threads?: number;
};

/** A program, and all that it needs to see. Paths are absolute; they are the same inside and outside. */
export type ConfinedProgram = {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the few variables that every confined program has; nothing else of this process's environment is passed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files and folders that it may read, beside the system's programs and libraries. */
  readonly reads: readonly string[];
  /** The one folder in which it may write. It is made the program's own, and stays readable to other users. */
  readonly writes?: string;
  readonly bounds: ProcessBounds;
};

/** A command line to spawn. */
export type ConfinedCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A file to be opened as file descriptor 3; null where there is none. */
  readonly fd3: string | null;
};

export type Sandbox = {
  readonly mode: SandboxMode;
  /** Whether a program in it can reach nothing outside of its folders, as was tried when it was opened. */
  readonly isolates: boolean;
  /** Why it is not a better one, and what it does not keep programs from; null where it is the best. */
  readonly reason: string | null;
  readonly confine: (program: ConfinedProgram) => Promise<ConfinedCommand>;
};

/** Exit codes by which the wrappers report that the program itself was not started. */
export const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
