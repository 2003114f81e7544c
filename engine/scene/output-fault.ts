import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import { compositionFault, type EngineFault } from '../process/engine-fault.ts';

/** Minimum side in pixels. x265 fails or crashes on some smaller frames. */
const MIN_SIDE_H265 = 64;

export const outputFault = (outputs: readonly FinalVariant[]): EngineFault | null => {
  const small = outputs.find(({ codec, width, height }) => codec === 'h265' && Math.min(width, height) < MIN_SIDE_H265);
  if (small === undefined) return null;
  const { name, width, height } = small;
  const size = `${name === 'master' ? 'the master' : `the variant "${name}"`} would be ${width}x${height}`;
  const message = `${size}, but H.265 needs at least ${MIN_SIDE_H265} pixels on each side: choose another codec or size`;
  return compositionFault('output_too_small', message, name === 'master' ? 'master' : 'variants');
};
