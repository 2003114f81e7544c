import type { CompositionFault } from '../../domain/composition/final-composition.ts';
import { ENVIRONMENT_CODE } from '../../domain/render/environment.ts';
import { type EngineFault, namingField } from '../../engine/process/engine-fault.ts';
import type { Impediment } from '../environment/impediments.ts';

/** What a preparation needs, and is away or out of order; `machine`: a call of the operating system fails. */
export type WaitsFor = Impediment | 'read_model' | 'machine';

/** Why a render cannot be prepared, as a message for its user: it names a field, never its value. */
export type PreparationFault = {
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  /** The service is at fault: the cost does not count against the account. */
  readonly ours?: true;
  /** It does not fail by this, but waits. */
  readonly waits_for?: WaitsFor;
};

/** A fault of this machine or the storage, which is retried. */
export class TransientFault extends Error {
  override readonly name = 'TransientFault';
  readonly waits_for: WaitsFor | undefined;
  /** @param waits_for left out where the render may have caused it */
  constructor(message: string, waits_for?: WaitsFor) {
    super(message);
    this.waits_for = waits_for;
  }
}

export const infrastructureFailure = (message: string): PreparationFault => ({
  code: 'surroundings',
  message,
  field: null,
  ours: true,
});

/** The render waits until this has passed. */
export const environmentFault = (message: string, waits_for: WaitsFor): PreparationFault => ({
  ...infrastructureFailure(message),
  waits_for,
});

/** It has waited for as long as a render may. */
export const ENVIRONMENT_FAILED: PreparationFault = {
  code: ENVIRONMENT_CODE,
  message: 'could not be prepared: what the service needs for it was away for too long; the render costs nothing',
  field: null,
  ours: true,
};

/** An error of ours, whose stack is in the log alone. */
export const INTERNAL_ERROR: PreparationFault = {
  code: 'internal_error',
  message: 'could not be prepared: an error within the service, which its log has; the render costs nothing',
  field: null,
  ours: true,
};

export const ofComposition = ({ code, message, field }: CompositionFault): PreparationFault => ({
  code,
  message,
  field: field ?? null,
});

/** Throws `TransientFault` for what is no fault of the composition. */
export const ofEngine = (fault: EngineFault): PreparationFault => {
  switch (fault.tag) {
    case 'composition':
      return { code: fault.code, message: namingField(fault.field, fault.message), field: fault.field ?? null };
    case 'over_budget':
      return { code: 'over_budget', message: `the media ${fault.message}`, field: null };
    case 'cancelled':
      throw new TransientFault('cancelled');
    case 'infrastructure':
    case 'decoder_died':
      throw new TransientFault(fault.message);
  }
};
