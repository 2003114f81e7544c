import type { SealOpener } from '../../../platform/seals/opener.ts';

export const NO_SEALS: SealOpener = {
  open: async () => {
    throw new Error('the simulation seals no texts');
  },
};
