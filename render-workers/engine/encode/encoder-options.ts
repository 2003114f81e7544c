import type { FinalVariant } from '../../../domain/composition/final-composition.ts';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import type { VideoCodec } from '../../../domain/composition/video-codecs.ts';
import { timescaleOf } from './timescale.ts';

export type Encoding = {
  /** For tests: what is decoded is what was encoded. AV1's encoder cannot, and does its best. */
  readonly lossless?: boolean;
};

type Encoded = Pick<FinalVariant, 'codec' | 'crf' | 'width' | 'height'>;

/** Players seek to key frames: never further apart than this, wherever the cuts are. */
const KEY_FRAMES_S = 2;
/** The faster encoder of AV1 refuses pictures with a shorter side. */
const SVT_LEAST_SIDE = 64;

const TAGS = ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', '-color_range', 'tv'];

/**
 * This encoder gives a film's first frame less than any later key frame: there would be one poor frame at the beginning
 * of each run. This is the factor that the later ones have.
 */
const FIRST_FRAME = 'zones=0,0,b=1.4';

const h264 = ({ crf }: Encoded, lossless: boolean): readonly string[] => [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-forced-idr', '1', '-flags', '+cgop'],
  ...(lossless ? ['-qp', '0'] : ['-crf', String(crf), '-profile:v', 'high', '-x264-params', FIRST_FRAME]),
];

const h265 = ({ crf }: Encoded, lossless: boolean): readonly string[] => {
  const params = `open-gop=0:repeat-headers=0:info=0:log-level=error${lossless ? ':lossless=1' : ''}`;
  const quality = lossless ? [] : ['-crf', String(crf)];
  return [
    '-c:v',
    'libx265',
    '-preset',
    'veryfast',
    ...quality,
    '-forced-idr',
    '1',
    '-tag:v',
    'hvc1',
    '-x265-params',
    params,
  ];
};

const vp9 = ({ crf }: Encoded, lossless: boolean): readonly string[] => [
  ...['-c:v', 'libvpx-vp9', '-deadline', 'good', '-cpu-used', '5', '-row-mt', '1', '-tile-columns', '2'],
  ...(lossless ? ['-lossless', '1'] : ['-crf', String(crf), '-b:v', '0']),
];

const av1 = ({ crf, width, height }: Encoded, lossless: boolean): readonly string[] => {
  const encoder =
    Math.min(width, height) < SVT_LEAST_SIDE
      ? ['-c:v', 'libaom-av1', '-cpu-used', '6', '-row-mt', '1', '-b:v', '0']
      : ['-c:v', 'libsvtav1', '-preset', '9'];
  return [...encoder, '-crf', lossless ? '1' : String(crf)];
};

const CODECS: { readonly [C in VideoCodec]: (encoded: Encoded, lossless: boolean) => readonly string[] } = {
  h264,
  h265,
  vp9,
  av1,
};

/**
 * How one output's pictures are encoded, as ffmpeg's output options: constant quality, closed groups, tagged BT.709, and
 * headers that depend on nothing but the size, the rate and these options, so that parts of any length can be joined.
 */
export const encoderOptions = (variant: Encoded, fps: FrameRate, encoding: Encoding = {}): readonly string[] => [
  ...CODECS[variant.codec](variant, encoding.lossless ?? false),
  ...['-pix_fmt', 'yuv420p', '-g', String(Math.max(1, Math.round((KEY_FRAMES_S * fps.num) / fps.den)))],
  ...['-enc_time_base:v', `${fps.den}/${fps.num}`, ...TAGS],
];

/** Whether the encoder begins a closed group exactly where it is told to; if not, each part needs a run of its own. */
export const holdsCuts = (codec: VideoCodec): boolean => codec !== 'av1';

/** Everything about the encoding of an output that decides the bytes of a part, for the part's key; as JSON. */
export const describeEncoder = (variant: Encoded, fps: FrameRate, encoding: Encoding = {}): unknown => ({
  options: encoderOptions(variant, fps, encoding),
  timescale: timescaleOf(fps),
});
