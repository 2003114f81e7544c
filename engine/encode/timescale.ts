import type { FrameRate } from '../../domain/composition/frame-rate.ts';

/** Units per second, at least 10,000, such that every frame lasts a whole number of units. */
export const timescaleOf = ({ num }: FrameRate): number => num * Math.ceil(10_000 / num);

export const timescaleUnitsPerFrame = (fps: FrameRate): number => (timescaleOf(fps) / fps.num) * fps.den;
