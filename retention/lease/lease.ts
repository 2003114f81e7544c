import pLimit from 'p-limit';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';
import type { LeaseDocument, Leases } from '../../read-models/leases/leases.ts';

/** The holder writes, and the others look, so often. */
const EVERY_MS = 3_000;
/** The holder stops that long after it began the last write that succeeded. */
const HELD_MS = 10_000;
/** Others take the lease when they have seen no write of its holder for so long. */
const SILENT_MS = 15_000;

/** The lease, as the process sees it that holds it. */
export type Held<Progress> = {
  /** Aborts when the lease is lost, or the process is to stop. */
  readonly signal: AbortSignal;
  readonly progress: () => Progress | null;
  /** Rejects where the lease is lost, or the store is away; then the next holder may see what was before. */
  readonly save: (change: (before: Progress | null) => Progress) => Promise<void>;
};

export type LeaseOptions<Progress> = {
  readonly leases: Leases<Progress>;
  /** Of this start of the process alone. */
  readonly holder: string;
  /** Called when the lease is taken; it must end soon after the signal aborts. */
  readonly work: (held: Held<Progress>) => Promise<void>;
  /** Whether there is work to do now; always, where it is left out. The lease is not taken without. */
  readonly isDue?: (progress: Progress | null) => boolean;
  /** How often others look whether the lease is free, ms; three seconds where it is left out. */
  readonly look_every_ms?: number;
  /** Work that must not be done all at once in this process waits there for its turn. */
  readonly turn?: <A>(work: () => Promise<A>) => Promise<A>;
  readonly mintVersion: () => string;
  readonly clock: Clock;
  readonly warn: Warn;
};

export type LeasedWork<Progress> = {
  readonly isHeld: () => boolean;
  /** As the store had it last. */
  readonly progress: () => Progress | null;
  /** Ends the work, and gives the lease back: another takes it when it looks next. */
  readonly stop: () => Promise<void>;
};

/**
 * Does work in one of several processes. Another takes over within 18 s of a kill of the holder, and what its requests to
 * the store take.
 *
 * No clock is compared with that of another machine. The holder counts from before it writes, the others from after they
 * saw that, each by a monotonic clock: the holder has stopped 5 s before another begins. Nobody can promise that of a
 * process that stood still meanwhile (a virtual machine that was paused). It may work beside its successor until it sees
 * its clock, or saves, which is refused. So the work must be such that two may do it at once: the lease saves work, and
 * protects nothing.
 */
export const startLeased = <Progress>({
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
  let held = false;
  let progress: Progress | null = null;
  let seen = { version: '', at: 0 };

  const isFree = (found: LeaseDocument<Progress> | null): boolean => {
    // Its own: a write whose outcome it was not told.
    if (found === null || found.holder === null || found.holder === holder) return true;
    const now = clock.monotonic();
    if (seen.version !== found.version) seen = { version: found.version, at: now };
    return now - seen.at >= SILENT_MS;
  };

  /** When the write began that took the lease; null where it is not free. */
  const take = async (): Promise<number | null> => {
    const found = await leases.read();
    progress = found?.progress ?? null;
    if (!isFree(found) || !isDue(progress)) return null;
    const began_at = clock.monotonic();
    const taken = await leases.replace(found?.version ?? null, { version: mintVersion(), holder, progress });
    return taken ? began_at : null;
  };

  /** False where the lease is another's, or nobody's. */
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

    const save: Held<Progress | null>['save'] = (change) =>
      inTurn(async () => {
        signal.throwIfAborted();
        const [began_at, next] = [clock.monotonic(), change(progress)];
        if (!(await write({ holder, progress: next }))) lose();
        signal.throwIfAborted();
        progress = next;
        cancel();
        cancel = loseAfter(began_at);
      });
    const renewals = repeatedly(
      clock,
      EVERY_MS,
      () => save((before) => before),
      (error) => {
        if (!signal.aborted) warn({ error }, 'the lease cannot be renewed');
      },
    );
    held = true;
    try {
      await work({ signal, progress: () => progress, save });
    } finally {
      held = false;
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
    isHeld: () => held,
    progress: () => progress,
    stop: async () => {
      life.abort();
      await ended;
    },
  };
};
