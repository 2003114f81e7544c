import pLimit from 'p-limit';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import type { LeaseDocument, LeaseStore } from '../../read-models/leases/leases.ts';

/** How often the holder renews the lease, and the others check it. */
const EVERY_MS = 3_000;
/** The holder stops this long after it began the last successful write. */
const HELD_MS = 10_000;
/** Others take the lease if they saw no write of its holder for this long. */
const SILENT_MS = 15_000;

export type HeldLease<Progress> = {
  /** Aborts when the lease is lost, or when the process must stop. */
  readonly signal: AbortSignal;
  readonly progress: () => Progress | null;
  /** Rejects if the lease is lost or the store is unavailable. The next holder may then see the former progress. */
  readonly save: (change: (before: Progress | null) => Progress) => Promise<void>;
};

export type LeaseOptions<Progress> = {
  readonly leases: LeaseStore<Progress>;
  /** The id of this process, new at each start. */
  readonly holder: string;
  /** Runs while the lease is held. It must end soon after the signal aborts. */
  readonly work: (lease: HeldLease<Progress>) => Promise<void>;
  /** Whether there is work now; always, if it is omitted. Without work the lease is not taken. */
  readonly isDue?: (progress: Progress | null) => boolean;
  /** How often others check the lease, ms; three seconds if it is omitted. */
  readonly look_every_ms?: number;
  /** Limits how much of this work runs at the same time in the process. */
  readonly turn?: <A>(work: () => Promise<A>) => Promise<A>;
  readonly mintVersion: () => string;
  readonly clock: Clock;
  readonly warn: Warn;
};

export type LeasedWork<Progress> = {
  readonly isHeld: () => boolean;
  readonly progress: () => Progress | null;
  /** Ends the work and releases the lease. Another process takes it at its next check. */
  readonly stop: () => Promise<void>;
};

/** Whether this process may take the lease. It measures the silence of the holder by its own monotonic clock. */
const freeLease = <Progress>(holder: string, clock: Pick<Clock, 'monotonic'>) => {
  let seen = { version: '', at: 0 };
  return (found: LeaseDocument<Progress> | null): boolean => {
    // If the holder is this process, it wrote the lease, but the answer was lost.
    if (found === null || found.holder === null || found.holder === holder) return true;
    const now = clock.monotonic();
    if (seen.version !== found.version) seen = { version: found.version, at: now };
    return now - seen.at >= SILENT_MS;
  };
};

/**
 * Does work in one of several processes. If the holder is killed, another takes over within 18 s plus the time of its
 * requests to the store.
 *
 * The lease compares no clocks of different machines. The holder counts from before its write, the others from after
 * they saw it, each by a monotonic clock. So the holder has stopped 5 s before another begins.
 *
 * A suspended process, such as a paused virtual machine, may work beside its successor. It stops when it reads its
 * clock, or when the store refuses its save. So the work must allow two processes at once: the lease is no fencing.
 */
export const startLeasedWork = <Progress>({
  leases,
  holder,
  work,
  isDue = () => true,
  look_every_ms = EVERY_MS,
  turn = (work) => work(),
  mintVersion,
  clock,
  warn,
}: LeaseOptions<Progress>): LeasedWork<Progress> => {
  const life = new AbortController();
  let isHeld = false;
  let progress: Progress | null = null;
  const isFree = freeLease<Progress>(holder, clock);

  /** When the write that took the lease began; null if the lease is not free. */
  const take = async (): Promise<number | null> => {
    const found = await leases.read();
    progress = found?.progress ?? null;
    if (!isFree(found) || !isDue(progress)) return null;
    const began_at = clock.monotonic();
    const taken = await leases.replace(found?.version ?? null, { version: mintVersion(), holder, progress });
    return taken ? began_at : null;
  };

  /** False if this process no longer has the lease. */
  const write = async (next: {
    readonly holder: string | null;
    readonly progress: Progress | null;
  }): Promise<boolean> => {
    const found = await leases.read();
    if (found?.holder !== holder) return false;
    return await leases.replace(found.version, { version: mintVersion(), ...next });
  };

  const hold = async (taken_at: number): Promise<void> => {
    const end = new AbortController();
    const signal = AbortSignal.any([life.signal, end.signal]);
    const lose = (): void => end.abort(new Error('the lease is lost'));
    const loseAfter = (began_at: number) => clock.after(began_at + HELD_MS - clock.monotonic(), lose);
    let cancel = loseAfter(taken_at);
    const inTurn = pLimit(1);

    const save: HeldLease<Progress | null>['save'] = (change) =>
      inTurn(async () => {
        signal.throwIfAborted();
        const [began_at, next] = [clock.monotonic(), change(progress)];
        if (!(await write({ holder, progress: next }))) lose();
        signal.throwIfAborted();
        progress = next;
        cancel();
        cancel = loseAfter(began_at);
      });
    const renewals = runRepeatedly(
      clock,
      EVERY_MS,
      () => save((before) => before),
      (error) => {
        if (!signal.aborted) warn({ error }, 'the lease cannot be renewed');
      },
    );
    isHeld = true;
    try {
      await work({ signal, progress: () => progress, save });
    } finally {
      isHeld = false;
      await renewals.stop();
      cancel();
      if (!end.signal.aborted) {
        const back = write({ holder: null, progress });
        await back.catch((error: unknown) =>
          warn({ error }, 'the lease cannot be given back: others wait until it ends'),
        );
      }
    }
  };

  const run = async (): Promise<void> => {
    while (!life.signal.aborted) {
      try {
        await turn(async () => {
          if (life.signal.aborted) return;
          const taken_at = await take();
          if (taken_at !== null) await hold(taken_at);
        });
      } catch (error) {
        warn({ error }, 'the lease cannot be looked at, or the work under it has failed');
      }
      await clock.sleep(look_every_ms, life.signal).catch(() => undefined);
    }
  };
  const ended = run();
  return {
    isHeld: () => isHeld,
    progress: () => progress,
    stop: async () => {
      life.abort();
      await ended;
    },
  };
};
