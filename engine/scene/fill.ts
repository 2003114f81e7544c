import type { ShapeLayer } from '../../domain/composition/layers.ts';
import type { Gradient } from '../raster/gradient.ts';

/** As in CSS: a linear gradient goes down, a conic one begins at the top. */
const DEFAULT_ANGLES = { linear: 180, radial: 0, conic: 0 };

export const fillOf = ({ fill }: ShapeLayer): { readonly fill?: Gradient } => {
  if (fill === undefined) return {};
  const { type, angle = DEFAULT_ANGLES[type], stops } = fill;
  return {
    fill: { type, angle, stops: stops.map(({ offset, color, opacity = 1 }) => ({ offset, color, opacity })) },
  };
};

export const isOpaqueFill = ({ fill }: ShapeLayer): boolean =>
  fill === undefined || fill.stops.every(({ opacity = 1 }) => opacity === 1);
