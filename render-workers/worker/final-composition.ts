import * as E from 'fp-ts/lib/Either.js';
import { decodeFinalComposition, type FinalComposition } from '../../domain/composition/final-composition.ts';
import { COMPOSITION_UNREADABLE_CODE, InfrastructureFault } from '../environment/infrastructure-fault.ts';

/** Throws `InfrastructureFault` if this engine is too old for the composition. */
export const finalCompositionOf = (payload: Buffer): FinalComposition => {
  const final = decodeFinalComposition(JSON.parse(payload.toString()));
  if (E.isRight(final)) return final.right;
  throw new InfrastructureFault(COMPOSITION_UNREADABLE_CODE, 'this version of the engine cannot read the composition');
};
