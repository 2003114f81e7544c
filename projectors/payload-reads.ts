import { BlobFault, isBlobStoreUnavailable } from '../platform/blob-store/blob-store.ts';
import type { Warn } from '../platform/logging/throttled-warn.ts';
import type { Clock } from '../platform/process/clock.ts';
import { retry } from '../platform/process/retry.ts';
import type { PendingFault } from '../read-models/pending-texts.ts';

/** `missing`: the blob does not exist or is corrupt. `pending`: the store did not serve it in time. */
export type PayloadRead<A> =
  | { readonly tag: 'read'; readonly value: A }
  | { readonly tag: 'missing' }
  | { readonly tag: 'pending'; readonly fault: PendingFault };

export type PayloadReadOptions = {
  readonly warn: Warn;
  readonly onCorrupt: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends the wait for the store. A payload that is not read by then is pending. */
  readonly given_up: AbortSignal;
};

const PENDING = {
  unavailable: { tag: 'pending', fault: 'unavailable' },
  refused: { tag: 'pending', fault: 'refused' },
} as const;

/**
 * Retries while the store is unavailable, until `given_up` aborts. A refusal is not retried: it lasts until an operator
 * changes a credential or the blob.
 *
 * @param what the kind of payload, for the log
 */
export const readPayload = async <A>(
  read: (signal: AbortSignal) => Promise<A>,
  what: string,
  { warn, onCorrupt, clock, signal, given_up }: PayloadReadOptions,
): Promise<PayloadRead<A>> => {
  signal.throwIfAborted();
  if (given_up.aborted) return PENDING.unavailable;
  const ends = AbortSignal.any([signal, given_up]);
  try {
    const value = await retry(() => read(ends), {
      ...{ clock, signal: ends },
      isTransient: (error) => error instanceof BlobFault && error.tag === 'unavailable',
      onFailure: (error) => warn({ error }, `cannot read ${what} yet; retrying`),
    });
    return { tag: 'read', value };
  } catch (error) {
    signal.throwIfAborted();
    if (given_up.aborted && (error === given_up.reason || isBlobStoreUnavailable(error))) return PENDING.unavailable;
    if (!(error instanceof BlobFault)) throw error;
    if (isBlobStoreUnavailable(error)) {
      warn({ error }, `the blob store refuses ${what}; its text is filled in later`);
      return PENDING.refused;
    }
    if (error.tag === 'corrupt') {
      onCorrupt();
      warn({ error }, `${what} is corrupt: its hash differs; continuing without it`);
    }
    return { tag: 'missing' };
  }
};

/** The maximum wait for the texts of a batch while no other record of the partition waits. */
export const TEXTS_WAIT_MS = 5_000;
/** The maximum wait while other records wait, such as the revocation of a key, or if the previous batch timed out. */
export const SHORT_TEXTS_WAIT_MS = 500;
const LOOK_MS = 250;

export type TextWait = {
  /**
   * @param offset of the last record of the batch
   * @param is_hurried whether records of the batch that need no text wait behind a text
   */
  readonly during: <A>(offset: number, is_hurried: boolean, reads: (given_up: AbortSignal) => Promise<A>) => Promise<A>;
};

/** @param end reads the next offset of the partition, which shows during a wait whether newer records wait */
export const createTextWait = (clock: Clock, end: () => Promise<number>): TextWait => {
  /**
   * True if the last wait timed out. The store may be unavailable for long, so the next batch does not wait for the
   * full time.
   */
  let ran_out = false;
  return {
    during: async (offset, is_hurried, reads) => {
      const giving_up = new AbortController();
      const giveUp = (): void => giving_up.abort(new DOMException('timed out waiting for texts', 'TimeoutError'));
      const began = clock.monotonic();
      let is_looking = false;
      const look = async (): Promise<void> => {
        if (is_looking || clock.monotonic() - began < SHORT_TEXTS_WAIT_MS) return;
        is_looking = true;
        // A newer record ends the wait. While Kafka is unavailable, no newer record can wait.
        if ((await end().catch(() => 0)) > offset + 1) giveUp();
        is_looking = false;
      };
      const endWait = clock.after(is_hurried || ran_out ? SHORT_TEXTS_WAIT_MS : TEXTS_WAIT_MS, giveUp);
      const endLooks = clock.every(LOOK_MS, () => void look());
      try {
        return await reads(giving_up.signal);
      } finally {
        endWait();
        endLooks();
        ran_out = giving_up.signal.aborted;
      }
    },
  };
};
