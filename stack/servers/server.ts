import type { ProcessSpec } from '../process/supervised.ts';

/** A server of the embedded stack: its process, and the environment that connects a component to it. */
export type Server = {
  readonly process: ProcessSpec;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the transactions of a killed client. Only for the store, and only while no other client has a transaction. */
  readonly endTransactions?: () => Promise<void>;
  /** Runs once before the first start, e.g. to format a disk; idempotent. */
  readonly prepare?: (signal?: AbortSignal) => Promise<void>;
};
