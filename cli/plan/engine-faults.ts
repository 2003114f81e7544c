import { type EngineFault, refusalOf } from '../../engine/process/engine-fault.ts';
import type { CliFault } from '../fault.ts';

export const cliFaultOfEngine = (fault: EngineFault): CliFault => {
  switch (fault.tag) {
    case 'composition':
      return refusalOf(fault);
    case 'infrastructure':
    case 'decoder_died':
    case 'over_budget':
      return { tag: 'engine_failed', message: fault.message };
    case 'cancelled':
      return { tag: 'interrupted' };
  }
};
