import type { Logger } from '../../platform/logging/logger.ts';
import { abortable } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type Probes, watchImpediments } from '../environment/impediments.ts';
import type { WaitsFor } from './preparation-fault.ts';

/** Closed while the disk is full or the blob store is unavailable. Then no preparation begins. */
export type EnvironmentGate = {
  readonly isOpen: () => boolean;
  /** Rejects with the reason of the signal. */
  readonly opened: (signal: AbortSignal) => Promise<void>;
  /** The fault may affect only that render, so the gate closes only if a probe fails too. */
  readonly suspect: (cause: WaitsFor) => Promise<void>;
  readonly worked: () => void;
  readonly stop: () => void;
};

export const openEnvironmentGate = (probes: Probes, logger: Logger, clock: Clock): EnvironmentGate => {
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
    opened: async (signal) => {
      while (opening !== null) await abortable(signal, opening.promise);
    },
    suspect: async (cause) => {
      if (cause === 'disk' || cause === 'blob_store') await impediments.check(cause);
    },
    worked: impediments.worked,
    stop: impediments.stop,
  };
};
