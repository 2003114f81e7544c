import type { Clock } from '../../platform/process/clock.ts';
import { readOncePerInterval } from '../../platform/read-store/fresh-read.ts';

export type TimeSource = 'host' | 'blob_store' | 'log';

export type ClockReadings = { readonly [S in TimeSource]: number };

/** The time for irreversible decisions. */
export type TrustedTime = {
  /** ms since the epoch, the earliest of all clocks. Rejects if a clock cannot be read. */
  readonly now: () => Promise<number>;
  /** The earliest of the clocks, without that of the log, which may be idle. For data that can be created again. */
  readonly nowOfBlobs: () => Promise<number>;
  /** `nowOfBlobs` extrapolated from the last reading, for decisions that only start work sooner or later. */
  readonly likely: () => number;
  readonly readings: () => Promise<ClockReadings>;
};

export type TrustedTimeDependencies = {
  readonly blobTime: (signal: AbortSignal) => Promise<number>;
  readonly logTime: () => Promise<number>;
  readonly clock: Clock;
};

/** How long a reading is reused. An old reading only makes blobs stay longer. */
const FRESH_MS = 60_000;
const BLOB_TIME_MS = 10_000;
/** Larger differences of the clocks are reported. The limit includes the age of a reading. */
const DIFFERENCE_MS = 5 * 60_000;

export const earliestReading = (readings: ClockReadings): number => Math.min(...Object.values(readings));

/** A warning for operators; null if the clocks of this host and the blob store agree. */
export const clockContradiction = ({ host, blob_store }: ClockReadings): string | null => {
  const ahead_ms = host - blob_store;
  if (Math.abs(ahead_ms) <= DIFFERENCE_MS) return null;
  const minutes = Math.round(Math.abs(ahead_ms) / 60_000);
  const how = ahead_ms > 0 ? 'ahead of' : 'behind';
  return `the clock of this host is ${minutes} min ${how} that of the blob store; the earlier one decides what is deleted`;
};

export const trustedTime = ({ blobTime, logTime, clock }: TrustedTimeDependencies): TrustedTime => {
  const inBlob = readOncePerInterval(() => blobTime(AbortSignal.timeout(BLOB_TIME_MS)), clock, FRESH_MS);
  const inLog = readOncePerInterval(logTime, clock, FRESH_MS);
  let last = { of_blobs: Number.POSITIVE_INFINITY, read_at: 0 };
  const nowOfBlobs = async (): Promise<number> => {
    const of_blobs = await inBlob();
    if (of_blobs !== last.of_blobs) last = { of_blobs, read_at: clock.monotonic() };
    return Math.min(clock.now(), of_blobs);
  };
  const readings = async (): Promise<ClockReadings> => {
    const [, blob_store, log] = await Promise.all([nowOfBlobs(), inBlob(), inLog()]);
    return { host: clock.now(), blob_store, log };
  };
  return {
    ...{ readings, nowOfBlobs },
    now: async () => earliestReading(await readings()),
    // Rounded to whole milliseconds, as in records.
    likely: () => Math.floor(Math.min(clock.now(), last.of_blobs + clock.monotonic() - last.read_at)),
  };
};
