import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { absolutePath } from '../process/ffmpeg-arguments.ts';
import type { Size } from '../raster/geometry.ts';

/** @param rate frames per second, as a fraction */
export const rawInput = (format: string, { width, height }: Size, rate: string, file: string): readonly string[] => [
  ...['-f', 'rawvideo', '-pixel_format', format, '-video_size', `${width}x${height}`, '-framerate', rate],
  ...['-protocol_whitelist', 'file', '-i', absolutePath(file)],
];

/** The first frame of the file is the layer's frame `from`. */
export const frameTimestamps = (from: number, { num, den }: FrameRate): readonly string[] => [
  `settb=${den}/${num}`,
  `setpts=N+${from}`,
];
