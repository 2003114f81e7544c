import type { CompositionFault } from '../../domain/composition/final-composition.ts';
import { ENVIRONMENT_CODE } from '../../domain/render/environment.ts';
import { type EngineFault, withFieldPrefix } from '../../engine/process/engine-fault.ts';
import type { Impediment } from '../environment/impediments.ts';

/** An unavailable dependency. `machine`: a system call fails. */
export type UnavailableDependency = Impediment | 'read_model' | 'machine';

/** Why a render cannot be prepared, for its user. The message names a field, never its value. */
export type PreparationFault = {
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  /** The service is at fault, so the account does not pay. */
  readonly ours?: true;
  /** The render waits for this dependency instead of failing. */
  readonly waits_for?: UnavailableDependency;
};

/** This machine or the storage is at fault; the caller retries. */
export class TransientFault extends Error {
  override readonly name = 'TransientFault';
  readonly waits_for: UnavailableDependency | undefined;
  /** @param waits_for omitted if the render may be at fault */
  constructor(message: string, waits_for?: UnavailableDependency) {
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

export const environmentFault = (message: string, waits_for: UnavailableDependency): PreparationFault => ({
  ...infrastructureFailure(message),
  waits_for,
});

/** The render has waited for the maximum time. */
export const ENVIRONMENT_FAILED: PreparationFault = {
  code: ENVIRONMENT_CODE,
  message: 'could not be prepared: a dependency of the service was unavailable for too long; the render costs nothing',
  field: null,
  ours: true,
};

/** Only the process's log has the stack trace. */
export const INTERNAL_ERROR: PreparationFault = {
  code: 'internal_error',
  message: 'could not be prepared: internal error; the render costs nothing',
  field: null,
  ours: true,
};

export const faultOfComposition = ({ code, message, field }: CompositionFault): PreparationFault => ({
  code,
  message,
  field: field ?? null,
});

/** Throws `TransientFault` if the composition is not at fault. */
export const faultOfEngine = (fault: EngineFault): PreparationFault => {
  switch (fault.tag) {
    case 'composition':
      return { code: fault.code, message: withFieldPrefix(fault.field, fault.message), field: fault.field ?? null };
    case 'over_budget':
      return { code: 'over_budget', message: `the media ${fault.message}`, field: null };
    case 'cancelled':
      throw new TransientFault('cancelled');
    case 'infrastructure':
    case 'decoder_died':
      throw new TransientFault(fault.message);
  }
};
