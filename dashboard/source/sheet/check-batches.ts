import type { Schemas } from '../api/client.ts';
import type { Values } from '../new-video/field-values.ts';
import { nextBatch } from './batches.ts';

type Check = Schemas['ProjectCheck'];

type Row = { readonly values: Values };

/** The checks of the first rows of a batch: at least one. */
export type SendBatch = (rows: readonly Row[]) => Promise<readonly Check[]>;

/** The limit of one request of the service. */
const MAX_ROWS = 100;
const BATCHES_AT_ONCE = 2;

/**
 * Checks rows, a few batches at a time. Stops with the first batch that fails.
 *
 * @param wanted rows by their keys
 */
export const checkInBatches = async (
  wanted: ReadonlyMap<string, Values>,
  send: SendBatch,
  found: (key: string, check: Check) => void,
  signal: AbortSignal,
): Promise<void> => {
  let waiting = [...wanted].map(([key, values]) => ({ key, row: { values } }));
  let failed = false;
  const sendNext = async (): Promise<void> => {
    while (waiting.length > 0 && !failed && !signal.aborted) {
      const size = nextBatch(
        waiting.map(({ row }) => row),
        MAX_ROWS,
      ).length;
      const batch = waiting.slice(0, size);
      waiting = waiting.slice(size);
      const checks = await send(batch.map(({ row }) => row));
      for (const [n, { key }] of batch.entries()) {
        const check = checks[n];
        if (check !== undefined) found(key, check);
      }
      waiting = [...batch.slice(checks.length), ...waiting];
    }
  };
  const senders = Array.from({ length: BATCHES_AT_ONCE }, () =>
    sendNext().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  await Promise.all(senders);
};
