import type { ProcessSpec } from '../process/supervised.ts';

export type Server = {
  readonly process: ProcessSpec;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Ends all open transactions of the store, because a killed client's transaction blocks others. Only some stores need
   * this.
   */
  readonly endTransactions?: () => Promise<void>;
  /** Runs once before the first start, e.g. to format a disk; idempotent. */
  readonly prepare?: (signal?: AbortSignal) => Promise<void>;
};
