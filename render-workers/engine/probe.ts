import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { AssetKind } from '../../domain/composition/assets.ts';
import { compositionFault, type EngineFault, surroundingsFault } from './engine-fault.ts';
import { asPath, ONLY_FILES } from './ffmpeg-arguments.ts';
import type { ColorFacts, MediaFacts, VideoFacts } from './media-facts.ts';
import { type ProcessLimits, runProcess } from './process.ts';
import { imageSize, UnreadableImage } from './stills/image.ts';

const maybe = <A>(codec: t.Type<A, A, unknown>) => t.union([codec, t.undefined]);

const ProbedStream = t.type({
  codec_type: t.string,
  codec_name: maybe(t.string),
  width: maybe(t.number),
  height: maybe(t.number),
  pix_fmt: maybe(t.string),
  sample_aspect_ratio: maybe(t.string),
  color_space: maybe(t.string),
  color_range: maybe(t.string),
  color_transfer: maybe(t.string),
  field_order: maybe(t.string),
  tags: maybe(t.record(t.string, t.string)),
  disposition: maybe(t.record(t.string, t.number)),
  side_data_list: maybe(t.array(t.type({ rotation: maybe(t.number) }))),
});
type ProbedStream = t.TypeOf<typeof ProbedStream>;
const Probed = t.type({ streams: t.array(ProbedStream) });

const MATRICES: { readonly [name: string]: ColorFacts['matrix'] } = {
  bt709: 'bt709',
  smpte170m: 'bt601',
  bt470bg: 'bt601',
  smpte240m: 'smpte240m',
  fcc: 'fcc',
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
};
/** Untagged pictures up to this height are taken as standard definition. */
const SD_HEIGHT = 576;

const colorOf = (stream: ProbedStream): ColorFacts => {
  const format = stream.pix_fmt ?? '';
  const rgb = /^(rgb|bgr|gbr|argb|abgr|0rgb|0bgr|pal8|gray|mono)/.test(format);
  const untagged = (stream.height ?? 0) <= SD_HEIGHT ? 'bt601' : 'bt709';
  return {
    matrix: rgb ? null : (MATRICES[stream.color_space ?? ''] ?? untagged),
    full_range: stream.color_range === 'pc' || (stream.color_range === undefined && format.startsWith('yuvj')),
    hdr: stream.color_transfer === 'smpte2084' || stream.color_transfer === 'arib-std-b67',
  };
};

/** The size as seen: pixels made square, a quarter turn swaps the sides. */
const sizeOf = (stream: ProbedStream): { readonly width: number; readonly height: number } => {
  const [across, down] = (stream.sample_aspect_ratio ?? '1:1').split(':').map(Number);
  const aspect = across !== undefined && down !== undefined && across > 0 && down > 0 ? across / down : 1;
  const rotation = stream.side_data_list?.find((data) => data.rotation !== undefined)?.rotation ?? 0;
  const width = (stream.width ?? 0) * aspect;
  const height = stream.height ?? 0;
  return Math.round(rotation / 90) % 2 === 0 ? { width, height } : { width: height, height: width };
};

const videoFacts = (stream: ProbedStream, has_audio: boolean): VideoFacts => {
  const tagged = stream.tags?.alpha_mode === '1' || stream.tags?.ALPHA_MODE === '1';
  const decoders = { vp8: 'libvpx', vp9: 'libvpx-vp9' } as const;
  const alpha_decoder =
    tagged && (stream.codec_name === 'vp8' || stream.codec_name === 'vp9') ? decoders[stream.codec_name] : null;
  return {
    kind: 'video',
    ...sizeOf(stream),
    color: colorOf(stream),
    interlaced: !['progressive', 'unknown', undefined].includes(stream.field_order),
    alpha_decoder,
    has_alpha: alpha_decoder !== null || /^(yuva|rgba|argb|bgra|abgr|gbrap|ya)/.test(stream.pix_fmt ?? ''),
    has_audio,
  };
};

const CONVERT = { video: 'MP4 (H.264)', audio: 'M4A, MP3, WAV, FLAC or Ogg' } as const;

type Media = { readonly id: string; readonly kind: AssetKind; readonly path: string };

const unreadable = ({ id, kind }: Media, what: string): EngineFault =>
  compositionFault('unreadable_media', `the ${kind} "${id}" ${what}`, `assets.${id}`);

const probeTimed = async (
  media: Media,
  kind: 'video' | 'audio',
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, MediaFacts>> => {
  const args = ['-v', 'error', '-of', 'json', '-show_streams', ...ONLY_FILES, '-i', asPath(media.path)];
  const run = await runProcess({ program: ffprobe_path, args }, limits);
  if (E.isLeft(run)) return run;
  if (run.right.exit_code !== 0) return E.left(unreadable(media, `cannot be read: convert it to ${CONVERT[kind]}`));
  const decoded = Probed.decode(JSON.parse(run.right.stdout));
  if (E.isLeft(decoded)) return E.left(surroundingsFault(`${ffprobe_path} answered in a form that is not known`));
  const { streams } = decoded.right;
  const has_audio = streams.some(({ codec_type }) => codec_type === 'audio');
  if (kind === 'audio') return has_audio ? E.right({ kind }) : E.left(unreadable(media, 'holds no sound'));
  const picture = streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  if (picture === undefined || (picture.width ?? 0) < 1 || (picture.height ?? 0) < 1)
    return E.left(unreadable(media, 'holds no picture'));
  return E.right(videoFacts(picture, has_audio));
};

/**
 * What is in an asset's file, read under the engine's lists of protocols and formats. A file that is not what its kind
 * says is a fault of the composition that names the asset and what to convert it to.
 */
export const probe = async (
  media: Media,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, MediaFacts>> => {
  if (media.kind !== 'image') return probeTimed(media, media.kind, ffprobe_path, limits);
  try {
    return E.right({ kind: 'image', ...(await imageSize(media.path)) });
  } catch (cause) {
    if (cause instanceof UnreadableImage) return E.left(unreadable(media, cause.message));
    return E.left(
      surroundingsFault(`the image "${media.id}" could not be read: ${cause instanceof Error ? cause.message : ''}`),
    );
  }
};
