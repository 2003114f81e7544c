import type { ProcessSpec } from '../process/supervised.ts';

export type Server = {
  readonly process: ProcessSpec;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Ends the transactions of a killed client. Only the store has it, and only while no other client has a transaction.
   */
  readonly endTransactions?: () => Promise<void>;
  /** Runs once before the first start, e.g. to format a disk; idempotent. */
  readonly prepare?: (signal?: AbortSignal) => Promise<void>;
};
