import type { Clock } from '../../platform/process/clock.ts';
import { freshRead } from '../../platform/read-store/fresh-read.ts';

export type TimeSource = 'host' | 'blob_store' | 'log';

export type Readings = { readonly [S in TimeSource]: number };

/** What time it is for what cannot be undone. */
export type TrustedTime = {
  /** ms since the epoch: the earliest that any clock says. Rejects while one of them cannot be read. */
  readonly now: () => Promise<number>;
  /** The same without the log, which may be at rest: for what can be made again. */
  readonly nowOfBlobs: () => Promise<number>;
  /** As `nowOfBlobs`, counted on from what was read last: for what only begins sooner or later. */
  readonly likely: () => number;
  /** Of each clock. Rejects likewise. */
  readonly readings: () => Promise<Readings>;
};

export type TimeParts = {
  /** The clock of Blob, which dates what it stores. */
  readonly blobTime: (signal: AbortSignal) => Promise<number>;
  /** When the newest record was appended, by the brokers' clock, which dates all events. */
  readonly logTime: () => Promise<number>;
  readonly clock: Clock;
};

/** A reading is used for so long. What it is late by is added to what is kept. */
const FRESH_MS = 60_000;
const BLOB_TIME_MS = 10_000;
/** Of clocks that are kept by NTP, with a reading that is not fresh. */
const DIFFERENCE_MS = 5 * 60_000;

export const earliest = (readings: Readings): number => Math.min(...Object.values(readings));

/** For an operator: the clocks of this host and of Blob contradict each other; null where they agree. */
export const contradiction = ({ host, blob_store }: Readings): string | null => {
  const ahead_ms = host - blob_store;
  if (Math.abs(ahead_ms) <= DIFFERENCE_MS) return null;
  const minutes = Math.round(Math.abs(ahead_ms) / 60_000);
  const how = ahead_ms > 0 ? 'ahead of' : 'behind';
  return `the clock of this host is ${minutes} min ${how} that of the blob store; the earlier one decides what is deleted`;
};

export const trustedTime = ({ blobTime, logTime, clock }: TimeParts): TrustedTime => {
  const inBlob = freshRead(() => blobTime(AbortSignal.timeout(BLOB_TIME_MS)), clock, FRESH_MS);
  const inLog = freshRead(logTime, clock, FRESH_MS);
  let last = { of_blobs: Number.POSITIVE_INFINITY, read_at: 0 };
  const nowOfBlobs = async (): Promise<number> => {
    const of_blobs = await inBlob();
    if (of_blobs !== last.of_blobs) last = { of_blobs, read_at: clock.monotonic() };
    return Math.min(clock.now(), of_blobs);
  };
  const readings = async (): Promise<Readings> => {
    const [, blob_store, log] = await Promise.all([nowOfBlobs(), inBlob(), inLog()]);
    return { host: clock.now(), blob_store, log };
  };
  return {
    ...{ readings, nowOfBlobs },
    now: async () => earliest(await readings()),
    // Whole milliseconds, as records have them.
    likely: () => Math.floor(Math.min(clock.now(), last.of_blobs + clock.monotonic() - last.read_at)),
  };
};
