import type { Span } from '../../../domain/composition/extents.ts';
import { constantWithin } from './curve.ts';
import type { Step, VideoStep } from './scene.ts';

const isOdd = (length: number): boolean => length % 2 !== 0;

/**
 * Whether its pixels lie otherwise than those of 4:2:0 in the composition: it is turned, or lies on odd pixels. (Rasters are
 * drawn with even edges; a video has those of its box.)
 */
export const isOffGrid = ({ rotation, seen, placed }: VideoStep): boolean =>
  rotation !== 0 || [seen.x, seen.y, seen.width, seen.height, seen.x - placed.x, seen.y - placed.y].some(isOdd);

export const restsAtSize = ({ scale, box, dense }: Pick<Step, 'scale' | 'box' | 'dense'>, own: Span): boolean =>
  box.width === dense.width && box.height === dense.height && constantWithin(scale, own.from, own.until) === 1;
