/**
 * How decoders are isolated from everything but their own files. With `namespaces`, bubblewrap hides the network, other
 * processes and all files except the named ones, and filters system calls. Mode `filtered` is for machines that forbid
 * namespaces. It has limits, the filter, another user if this process is root, and Landlock if the kernel has it. Mode
 * `none` has only limits.
 */
export type SandboxMode = 'namespaces' | 'filtered' | 'none';

/** Limits of a process. Beyond them it fails or is killed. */
export type ProcessBounds = {
  /** Private memory, by RLIMIT_DATA. The system-call filter allows no other memory, and no child processes. */
  readonly memory_bytes: number;
  /** Limit of each file that it writes. */
  readonly file_bytes: number;
  /** Limit of all files in its folder, checked at intervals. Equals `file_bytes` if omitted. */
  readonly folder_bytes?: number;
  /** CPU time of all its threads. If omitted, only the wall clock limits it. */
  readonly cpu_s?: number;
  readonly threads?: number;
};

/** A program, and everything that it needs to see. Paths are absolute, and equal inside and outside. */
export type ConfinedProgram = {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the few variables of every confined program; no other variable of this process is passed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files and folders that it may read, in addition to the system's programs and libraries. */
  readonly reads: readonly string[];
  /** The one folder in which it may write. The program's user owns it, and other users can read it. */
  readonly writes?: string;
  readonly bounds: ProcessBounds;
};

/** A command line to spawn. */
export type ConfinedCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A file to open as file descriptor 3; null if it needs no such file. */
  readonly fd3: string | null;
};

export type Sandbox = {
  readonly mode: SandboxMode;
  /** Whether a program can reach only its own folders; tested when the sandbox was opened. */
  readonly isolates: boolean;
  /** Why a better sandbox is not available, and what this one does not prevent; null for the best one. */
  readonly reason: string | null;
  readonly confine: (program: ConfinedProgram) => Promise<ConfinedCommand>;
};

/** Exit codes of the wrappers which mean that the program itself was not started. */
export const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
