import type { ProcessSpec } from '../process/supervised.ts';

/** A server of the embedded stack: what to run, and the environment that leads a component to it. */
export type Server = {
  readonly process: ProcessSpec;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the transactions of a client that was killed; only for the store, and only while no other client has any. */
  readonly endTransactions?: () => Promise<void>;
  /** Run once before the first start, e.g. to format a disk; safe to repeat. */
  readonly prepare?: (signal?: AbortSignal) => Promise<void>;
};
