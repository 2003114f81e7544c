import type { CompositionFault } from '../../domain/composition/final-composition.ts';
import { type EngineFault, namingField } from '../engine/process/engine-fault.ts';

/** Why a render cannot be prepared, as a message for its user: it names a field, never its value. */
export type PreparationFault = {
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  /** The service is at fault: the cost does not count against the account. */
  readonly ours?: true;
};

/** A fault of this machine or the storage, which is retried. */
export class TransientFault extends Error {
  override readonly name = 'TransientFault';
}

export const infrastructureFailure = (message: string): PreparationFault => ({
  code: 'surroundings',
  message,
  field: null,
  ours: true,
});

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
