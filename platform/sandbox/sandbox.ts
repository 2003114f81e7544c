/**
 * - `namespaces`: bubblewrap hides the network, other processes and all files except the named ones, and filters system
 * calls.
 * - `filtered`, for machines that forbid namespaces: limits, the system-call filter, Landlock if the kernel has it, and
 * another user if this process is root.
 * - `none`: only limits.
 */
export type SandboxMode = 'namespaces' | 'filtered' | 'none';

/** A process beyond these limits fails or is killed. */
export type ProcessBounds = {
  /** Private memory, by RLIMIT_DATA. The system-call filter allows no other memory, and no child processes. */
  readonly memory_bytes: number;
  /** Limit of each written file. */
  readonly file_bytes: number;
  /** Limit of all files in the program's folder, checked at intervals; `file_bytes` by default. */
  readonly folder_bytes?: number;
  /** CPU time of all threads. By default, only the wall clock limits it. */
  readonly cpu_s?: number;
  readonly threads?: number;
};

/** Paths are absolute, and equal inside and outside. */
export type ConfinedProgram = {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the few variables of every confined program; no other variable of this process is passed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files and folders to read, in addition to the system's programs and libraries. */
  readonly reads: readonly string[];
  /** The only folder with write access. The program's user owns it, and other users can read it. */
  readonly writes?: string;
  readonly bounds: ProcessBounds;
};

export type ConfinedCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A file to open as file descriptor 3. */
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

/** Exit codes of the wrappers if the program itself was not started. */
export const NOT_STARTED_EXIT_CODES: ReadonlySet<number> = new Set([126, 127]);
