import type { Logger } from '../../platform/logging/logger.ts';
import { rejectOnAbort } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type ImpedimentProbes, watchImpediments } from '../environment/impediments.ts';
import type { UnavailableDependency } from './preparation-fault.ts';

/** Closed while the disk is full or the blob store is unavailable. Then no preparation begins. */
export type EnvironmentGate = {
  readonly isOpen: () => boolean;
  /** Rejects with the reason of the signal. */
  readonly waitUntilOpen: (signal: AbortSignal) => Promise<void>;
  /** Reports a render's fault. It may affect only that render, so the gate closes only if a probe fails too. */
  readonly suspect: (cause: UnavailableDependency) => Promise<void>;
  readonly reportSuccess: () => void;
  readonly stop: () => void;
};

export const openEnvironmentGate = (probes: ImpedimentProbes, logger: Logger, clock: Clock): EnvironmentGate => {
  let opening: PromiseWithResolvers<void> | null = null;
  const onChange = (): void => {
    if (impediments.shown().length > 0) {
      opening ??= Promise.withResolvers();
    } else {
      opening?.resolve();
      opening = null;
    }
  };
  const impediments = watchImpediments(probes, onChange, logger, clock);
  return {
    isOpen: () => opening === null,
    waitUntilOpen: async (signal) => {
      while (opening !== null) await rejectOnAbort(signal, opening.promise);
    },
    suspect: async (cause) => {
      if (cause === 'disk' || cause === 'blob_store') await impediments.check(cause);
    },
    reportSuccess: impediments.reportSuccess,
    stop: impediments.stop,
  };
};
