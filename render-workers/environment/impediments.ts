import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';

export type Impediment = 'disk' | 'blob_store';

const SHORTEST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 900_000;
/** The pause before a probe is 1 / `PART` of the impediment's age. */
const PART = 4;

/** Resolves with true if the cause is gone. Probes are cheap and never reject. */
export type ImpedimentProbes = { readonly [K in Impediment]: () => Promise<boolean> };

export type Impediments = {
  readonly shown: () => readonly Impediment[];
  /** The worker takes no new work until a probe succeeds. */
  readonly report: (impediment: Impediment) => void;
  /**
   * Reports that an attempt succeeded. Probes the remaining impediments at once, and the next impediment starts with
   * short pauses again.
   */
  readonly reportSuccess: () => void;
  readonly check: (impediment: Impediment) => Promise<void>;
  readonly stop: () => void;
};

type Known = {
  /** First report since the last successful attempt; monotonic ms. */
  since: number;
  /** Null while the impediment lasts. */
  gone_at: number | null;
  cancel: () => void;
};

export const watchImpediments = (
  probes: ImpedimentProbes,
  onChange: () => void,
  logger: Logger,
  clock: Clock,
): Impediments => {
  const known = new Map<Impediment, Known>();
  let stopped = false;

  const probe = async (impediment: Impediment, one: Known): Promise<void> => {
    one.cancel();
    const gone = await probes[impediment]();
    if (stopped || one.gone_at !== null) return;
    if (!gone) return probeLater(impediment, one);
    one.cancel();
    one.gone_at = clock.monotonic();
    logger.info({ impediment }, 'an impediment is gone: this process accepts renders again');
    onChange();
  };

  const probeLater = (impediment: Impediment, one: Known): void => {
    const lasted_ms = clock.monotonic() - one.since;
    const pause_ms = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, Math.round(lasted_ms / PART)));
    one.cancel();
    one.cancel = clock.after(pause_ms, () => void probe(impediment, one));
  };

  const report = (impediment: Impediment): void => {
    const before = known.get(impediment);
    if (stopped || before?.gone_at === null) return;
    const now = clock.monotonic();
    // An impediment that returns soon after a successful probe keeps its long pauses.
    const lately = before !== undefined && now - (before.gone_at ?? now) < LONGEST_PAUSE_MS;
    const one: Known = { since: lately ? before.since : now, gone_at: null, cancel: () => undefined };
    known.set(impediment, one);
    logger.warn({ impediment }, 'this process accepts no renders until the impediment is gone');
    onChange();
    probeLater(impediment, one);
  };

  return {
    report,
    shown: () => [...known].flatMap(([impediment, { gone_at }]) => (gone_at === null ? [impediment] : [])),
    reportSuccess: () => {
      for (const [impediment, one] of known) {
        if (one.gone_at === null) void probe(impediment, one);
        else known.delete(impediment);
      }
    },
    check: async (impediment) => {
      if (!(await probes[impediment]())) report(impediment);
    },
    stop: () => {
      stopped = true;
      for (const one of known.values()) one.cancel();
    },
  };
};
