import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { Quality, VideoCodec } from '../../domain/composition/video-codecs.ts';
import { timescaleOf } from './timescale.ts';

export type EncodingOptions = {
  /** For tests: encodes losslessly, except AV1, which uses its best quality. */
  readonly lossless?: boolean;
};

type Encoded = Pick<FinalVariant, 'codec' | 'quality' | 'crf' | 'width' | 'height'>;

/** bench/encodes.ts measures these options; docs/composition.md lists the results. */
const EFFORT: { readonly [C in VideoCodec]: { readonly [Q in Quality]: readonly string[] } } = {
  h264: { draft: ['-preset', 'superfast'], standard: ['-preset', 'faster'], high: ['-preset', 'slow'] },
  h265: { draft: ['-preset', 'ultrafast'], standard: ['-preset', 'veryfast'], high: ['-preset', 'medium'] },
  vp9: {
    draft: ['-deadline', 'realtime', '-cpu-used', '7'],
    standard: ['-deadline', 'good', '-cpu-used', '5'],
    high: ['-deadline', 'good', '-cpu-used', '2'],
  },
  av1: { draft: ['-preset', '11'], standard: ['-preset', '9'], high: ['-preset', '6'] },
};

/** Interval of key frames. Players can seek only to key frames. */
const KEY_FRAMES_S = 2;
/** SVT-AV1 rejects frames with a shorter side. */
const SVT_MIN_SIDE = 64;

const TAGS = ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', '-color_range', 'tv'];

/** x264 gives the first frame too few bits, so each run would begin with a poor frame. This factor compensates. */
const FIRST_FRAME_BITS = 'zones=0,0,b=1.4';
/**
 * Disables trellis quantisation, which all presets from `faster` on use. It doubles the width of bands in dark
 * gradients.
 */
const KEEP_FAINT_STEPS = 'trellis=0';

/**
 * The thread count changes the bytes of x264 and x265, but not of libvpx and SVT-AV1. It is fixed, so that all machines
 * encode the same parts. A render uses more cores by encoding several runs concurrently.
 */
const THREADS = { h264: 3, h265: 2 } as const;

const h264 = ({ crf, quality }: Encoded, lossless: boolean): readonly string[] => [
  ...['-c:v', 'libx264', ...EFFORT.h264[quality], '-forced-idr', '1', '-flags', '+cgop'],
  ...['-threads:v', String(THREADS.h264)],
  ...(lossless
    ? ['-qp', '0']
    : ['-crf', String(crf), '-profile:v', 'high', '-x264-params', `${KEEP_FAINT_STEPS}:${FIRST_FRAME_BITS}`]),
];

const h265 = ({ crf, quality }: Encoded, lossless: boolean): readonly string[] => {
  const params = `open-gop=0:frame-threads=${THREADS.h265}:repeat-headers=0:info=0:log-level=error${lossless ? ':lossless=1' : ''}`;
  return [
    ...['-c:v', 'libx265', ...EFFORT.h265[quality], ...(lossless ? [] : ['-crf', String(crf)])],
    ...['-forced-idr', '1', '-tag:v', 'hvc1', '-x265-params', params],
  ];
};

const vp9 = ({ crf, quality }: Encoded, lossless: boolean): readonly string[] => [
  ...['-c:v', 'libvpx-vp9', ...EFFORT.vp9[quality], '-row-mt', '1', '-tile-columns', '2'],
  ...(lossless ? ['-lossless', '1'] : ['-crf', String(crf), '-b:v', '0']),
];

const av1 = ({ crf, quality, width, height }: Encoded, lossless: boolean): readonly string[] => {
  const encoder =
    Math.min(width, height) < SVT_MIN_SIDE
      ? ['-c:v', 'libaom-av1', '-cpu-used', '6', '-row-mt', '1', '-b:v', '0']
      : ['-c:v', 'libsvtav1', ...EFFORT.av1[quality]];
  return [...encoder, '-crf', lossless ? '1' : String(crf)];
};

const CODECS: { readonly [C in VideoCodec]: (encoded: Encoded, lossless: boolean) => readonly string[] } = {
  h264,
  h265,
  vp9,
  av1,
};

/**
 * The headers of a part depend only on size, frame rate and these options, so that parts of any length can be joined.
 */
export const encoderOptions = (variant: Encoded, fps: FrameRate, encoding: EncodingOptions = {}): readonly string[] => [
  ...CODECS[variant.codec](variant, encoding.lossless ?? false),
  ...['-pix_fmt', 'yuv420p', '-g', String(Math.max(1, Math.round((KEY_FRAMES_S * fps.num) / fps.den)))],
  ...['-enc_time_base:v', `${fps.den}/${fps.num}`, ...TAGS],
];

/** If false, the encoder does not place forced key frames exactly, and each part needs its own run. */
export const hasExactCuts = (codec: VideoCodec): boolean => codec !== 'av1';

/** Part of the cache key: everything in an output's encoding that decides a part's bytes. */
export const describeEncoder = (variant: Encoded, fps: FrameRate, encoding: EncodingOptions = {}): unknown => ({
  options: encoderOptions(variant, fps, encoding),
  timescale: timescaleOf(fps),
});
