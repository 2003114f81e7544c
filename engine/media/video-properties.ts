import type { CodedFrames, ColorProperties, HdrProperties, VideoProperties } from './media-properties.ts';
import { type ProbedStream, timeBaseSeconds } from './probed-file.ts';

const MATRICES: ReadonlyMap<string, ColorProperties['matrix']> = new Map([
  ['bt709', 'bt709'],
  ['smpte170m', 'bt601'],
  ['bt470bg', 'bt601'],
  ['smpte240m', 'smpte240m'],
  ['fcc', 'fcc'],
  ['bt2020nc', 'bt2020'],
  ['bt2020c', 'bt2020'],
]);
/** zscale cannot convert bt2020c, which some files declare although they hardly ever contain it. */
const HDR_MATRICES: readonly string[] = ['bt709', 'smpte170m', 'bt470bg', 'smpte240m', 'fcc', 'bt2020nc', 'ictcp'];
const PRIMARIES: readonly string[] = 'bt709 bt470bg smpte170m smpte240m bt2020 smpte431 smpte432 ebu3213'.split(' ');
/** Untagged videos up to this height count as standard definition. */
const SD_HEIGHT = 576;

/**
 * Re-encoders often keep only the transfer function, PQ or HLG. Matrix and primaries are then those of BT.2020
 * (BT.2100).
 */
const hdrOf = (stream: ProbedStream, rgb: boolean): HdrProperties | null => {
  const { color_transfer: transfer, color_space = '', color_primaries = '' } = stream;
  if (transfer !== 'smpte2084' && transfer !== 'arib-std-b67') return null;
  const matrix = HDR_MATRICES.includes(color_space) ? color_space : 'bt2020nc';
  const primaries = PRIMARIES.includes(color_primaries) ? color_primaries : 'bt2020';
  return { transfer, matrix: rgb ? null : matrix, primaries };
};

/** Standard-range transfer functions, except the linear one, count as sRGB, in which everything is composited. */
const convertedOf = ({ color_transfer, color_primaries = '' }: ProbedStream): Pick<ColorProperties, 'converted'> => {
  const transfer = color_transfer === 'linear' ? 'linear' : 'iec61966-2-1';
  const primaries = PRIMARIES.includes(color_primaries) ? color_primaries : 'bt709';
  return primaries === 'bt709' && transfer !== 'linear' ? {} : { converted: { primaries, transfer } };
};

const colorOf = (stream: ProbedStream): ColorProperties => {
  const format = stream.pix_fmt ?? '';
  const rgb = /^(rgb|bgr|gbr|argb|abgr|0rgb|0bgr|pal8|gray|mono)/.test(format);
  const untagged = (stream.height ?? 0) <= SD_HEIGHT ? 'bt601' : 'bt709';
  const hdr = hdrOf(stream, rgb);
  return {
    matrix: rgb ? null : (MATRICES.get(stream.color_space ?? '') ?? untagged),
    full_range: stream.color_range === 'pc' || (stream.color_range === undefined && format.startsWith('yuvj')),
    hdr,
    ...(hdr === null ? convertedOf(stream) : {}),
  };
};

/** Counter-clockwise, in degrees. */
const rotationOf = ({ side_data_list }: ProbedStream): number =>
  side_data_list?.find((data) => data.rotation !== undefined)?.rotation ?? 0;

/** ffprobe prints the display matrix as lines of an offset and three numbers. */
const isMirrored = ({ side_data_list }: ProbedStream): boolean => {
  const matrix = side_data_list?.find((data) => data.displaymatrix !== undefined)?.displaymatrix ?? '';
  const [[a = 1, b = 0] = [], [c = 0, d = 1] = []] = matrix
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^.*:/, '').trim().split(/ +/).map(Number));
  return a * d - b * c < 0;
};

const pixelAspect = ({ sample_aspect_ratio }: ProbedStream): number => {
  const [across, down] = (sample_aspect_ratio ?? '1:1').split(':').map(Number);
  return across !== undefined && down !== undefined && across > 0 && down > 0 ? across / down : 1;
};

const QUARTER_TURNS = [0, 90, 180, 270] as const;

const codedOf = (stream: ProbedStream): CodedFrames | null => {
  const { width = 0, height = 0 } = stream;
  const rotation = QUARTER_TURNS.find((turn) => (turn + rotationOf(stream)) % 360 === 0);
  if (rotation === undefined || (rotation !== 0 && isMirrored(stream))) return null;
  return { width, height, rotation, aspect: (width * pixelAspect(stream)) / height };
};

/** The displayed size in square pixels. A quarter turn swaps the sides. */
const sizeOf = (stream: ProbedStream): { readonly width: number; readonly height: number } => {
  const width = (stream.width ?? 0) * pixelAspect(stream);
  const height = stream.height ?? 0;
  return Math.round(rotationOf(stream) / 90) % 2 === 0 ? { width, height } : { width: height, height: width };
};

const rateOf = ({ avg_frame_rate }: ProbedStream): number => {
  const [frames, seconds] = (avg_frame_rate ?? '').split('/').map(Number);
  return frames !== undefined && seconds !== undefined && seconds > 0 ? frames / seconds : 0;
};

/** The Dolby Vision profile; null unless the base layer has Dolby's own colours, which other players cannot show. */
export const proprietaryDolbyProfile = ({ side_data_list }: ProbedStream): number | null => {
  const dolby = side_data_list?.find(({ dv_profile }) => dv_profile !== undefined);
  const { dv_profile: profile, dv_bl_signal_compatibility_id: compatibility } = dolby ?? {};
  return profile === 5 || (profile === 10 && compatibility === 0) ? profile : null;
};

/**
 * ffprobe does not report the field order of DV. DV counts as interlaced, because each of its frames says whether it
 * has fields.
 */
const isInterlaced = ({ codec_name, field_order = 'unknown' }: ProbedStream): boolean =>
  field_order === 'unknown' ? codec_name === 'dvvideo' : field_order !== 'progressive';

export const videoStreamProperties = (
  stream: ProbedStream,
): Pick<
  VideoProperties,
  'width' | 'height' | 'tick_s' | 'coded' | 'color' | 'interlaced' | 'frame_rate' | 'alpha_decoder' | 'has_alpha'
> => {
  const tagged = stream.tags?.alpha_mode === '1' || stream.tags?.ALPHA_MODE === '1';
  const decoders = { vp8: 'libvpx', vp9: 'libvpx-vp9' } as const;
  const alpha_decoder =
    tagged && (stream.codec_name === 'vp8' || stream.codec_name === 'vp9') ? decoders[stream.codec_name] : null;
  return {
    ...sizeOf(stream),
    tick_s: timeBaseSeconds(stream),
    coded: codedOf(stream),
    color: colorOf(stream),
    frame_rate: rateOf(stream),
    interlaced: isInterlaced(stream),
    alpha_decoder,
    has_alpha: alpha_decoder !== null || /^(yuva|rgba|argb|bgra|abgr|gbrap|ya)/.test(stream.pix_fmt ?? ''),
  };
};
