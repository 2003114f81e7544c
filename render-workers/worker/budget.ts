import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import type { VideoCodec } from '../../domain/composition/video-codecs.ts';

/** Wall-clock limit: start-up time plus thirty times the need of two ordinary cores. */
const BASE_MS = 300_000;
const PER_MEGAPIXEL_FRAME_MS = 400;
const MAX_MS = 6 * 3_600_000;

/** Encoding time at each codec's preset, relative to H.264. */
const EFFORT: Readonly<Record<VideoCodec, number>> = { h264: 1, h265: 3, vp9: 4, av1: 4 };

export const budgetMs = ({ composition, variants }: FinalComposition): number => {
  const frames = framesOf(composition.duration, composition.fps);
  const megapixels = variants.reduce(
    (sum, { width, height, codec }) => sum + (width * height * EFFORT[codec]) / 1_000_000,
    0,
  );
  return Math.min(MAX_MS, BASE_MS + frames * megapixels * PER_MEGAPIXEL_FRAME_MS);
};
