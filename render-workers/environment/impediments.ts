import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';

/** What keeps a worker from taking renders: its disk is full or broken, the blob store does not answer. */
export type Impediment = 'disk' | 'blob_store';

const SHORTEST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 900_000;
/** Probes are cheap, so each waits for a part of the time that the impediment has lasted. */
const PART = 4;

/** Resolves with whether the cause is gone; cheap, and never rejects. */
export type Probes = { readonly [K in Impediment]: () => Promise<boolean> };

export type Impediments = {
  readonly shown: () => readonly Impediment[];
  /** Nothing new is taken until a probe finds that the cause is gone. */
  readonly met: (impediment: Impediment) => void;
  /** An attempt ended well: what is left is probed at once, and the next one begins with short pauses again. */
  readonly worked: () => void;
  /** Probes now, and shows the impediment if the probe fails. */
  readonly check: (impediment: Impediment) => Promise<void>;
  readonly stop: () => void;
};

type Known = {
  /** When it was first met since an attempt ended well; monotonic ms. */
  since: number;
  /** When it was found to be gone; null while it lasts. */
  gone_at: number | null;
  cancel: () => void;
};

/** @param onChange called when the impediments have changed */
export const watchImpediments = (probes: Probes, onChange: () => void, logger: Logger, clock: Clock): Impediments => {
  const known = new Map<Impediment, Known>();
  let stopped = false;

  const probe = async (impediment: Impediment, one: Known): Promise<void> => {
    one.cancel();
    const gone = await probes[impediment]();
    if (stopped || one.gone_at !== null) return;
    if (!gone) return probeLater(impediment, one);
    one.cancel();
    one.gone_at = clock.monotonic();
    logger.info({ impediment }, 'an impediment is gone: renders are taken again');
    onChange();
  };

  const probeLater = (impediment: Impediment, one: Known): void => {
    const lasted_ms = clock.monotonic() - one.since;
    const pause_ms = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, Math.round(lasted_ms / PART)));
    one.cancel();
    one.cancel = clock.after(pause_ms, () => void probe(impediment, one));
  };

  const met = (impediment: Impediment): void => {
    const before = known.get(impediment);
    if (stopped || before?.gone_at === null) return;
    const now = clock.monotonic();
    // One that comes back as soon as its probe succeeds goes on where it was.
    const lately = before !== undefined && now - (before.gone_at ?? now) < LONGEST_PAUSE_MS;
    const one: Known = { since: lately ? before.since : now, gone_at: null, cancel: () => undefined };
    known.set(impediment, one);
    logger.warn({ impediment }, 'no renders are taken until this impediment is gone');
    onChange();
    probeLater(impediment, one);
  };

  return {
    met,
    shown: () => [...known].flatMap(([impediment, { gone_at }]) => (gone_at === null ? [impediment] : [])),
    worked: () => {
      for (const [impediment, one] of known) {
        if (one.gone_at === null) void probe(impediment, one);
        else known.delete(impediment);
      }
    },
    check: async (impediment) => {
      if (!(await probes[impediment]())) met(impediment);
    },
    stop: () => {
      stopped = true;
      for (const one of known.values()) one.cancel();
    },
  };
};
