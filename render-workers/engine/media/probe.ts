import * as E from 'fp-ts/lib/Either.js';
import type { AssetKind } from '../../../domain/composition/assets.ts';
import { compositionFault, type EngineFault, surroundingsFault } from '../engine-fault.ts';
import type { ProcessLimits } from '../run/process.ts';
import { isFontFile } from '../stills/font-file.ts';
import { imageSize, UnreadableImage } from '../stills/image.ts';
import { type ProbedFile, type ProbedStream, probeFile } from './ffprobe.ts';
import { type Signature, signatureOf } from './file-signature.ts';
import type { MediaFacts } from './media-facts.ts';
import { endOfStream, limitFault } from './source-limits.ts';
import { pictureFacts } from './video-facts.ts';

const CONVERT = {
  video: 'MP4 (H.264)',
  audio: 'M4A, MP3, WAV, FLAC or Ogg',
  image: 'PNG, JPEG, WebP, AVIF, GIF, TIFF or SVG',
} as const;
type Readable = keyof typeof CONVERT;

type Media = { readonly id: string; readonly kind: AssetKind; readonly path: string };

const unreadable = ({ id, kind }: Media, what: string): EngineFault =>
  compositionFault('unreadable_media', `the ${kind} "${id}" ${what}`, `assets.${id}`);

const NOUN = { video: 'a video', audio: 'a sound', image: 'a picture' } as const;

/** Why what cannot be read as `kind` cannot, as far as its beginning tells. */
const mistaken = (kind: Readable, signature: Signature | null): string => {
  if (signature === null) return `cannot be read: convert it to ${CONVERT[kind]}`;
  const { name, is } = signature;
  if (is === 'empty') return 'is empty';
  if (is === 'other') return `is ${name} and not ${NOUN[kind]}`;
  return is === kind
    ? `cannot be read: it is damaged or cut off, or has to be converted to ${CONVERT[kind]}`
    : `is ${NOUN[is]} (${name}) and not ${NOUN[kind]}: convert it to ${CONVERT[kind]}`;
};

const isPicture = ({ codec_type, disposition }: ProbedStream): boolean =>
  codec_type === 'video' && disposition?.attached_pic !== 1;

/** What a decoder is there for has a form: a format of pixels, a rate of samples. */
const isDecodable = ({ width = 0, height = 0, pix_fmt, sample_rate = '0' }: ProbedStream): boolean =>
  (width > 0 && height > 0 && pix_fmt !== undefined) || Number(sample_rate) > 0;

/** Seconds: a file is taken to begin with its first picture where that comes so little after what else is in it. */
const PRIMING_S = 0.02;

/**
 * The file's own time of its first moment. What stands before 0 primes a decoder of sound, and is not heard; to make
 * room for it, some files have everything else a little later.
 */
const firstMoment = ({ format }: ProbedFile, picture: ProbedStream | undefined): number => {
  const first_s = Math.max(0, Number(format.start_time ?? 0) || 0);
  const seen_s = Number(picture?.start_time ?? first_s) || 0;
  return seen_s > first_s && seen_s - first_s < PRIMING_S ? seen_s : first_s;
};

const timedFacts = (media: Media, kind: 'video' | 'audio', file: ProbedFile): E.Either<EngineFault, MediaFacts> => {
  const picture = file.streams.find(isPicture);
  const sound = file.streams.find(({ codec_type }) => codec_type === 'audio');
  const wanted = kind === 'video' ? picture : sound;
  const other = kind === 'video' ? sound : picture;
  if (wanted === undefined) {
    const [none, only] = kind === 'video' ? ['no picture', 'sound'] : ['no sound', 'a picture'];
    return E.left(unreadable(media, `holds ${other === undefined ? none : `${only} only, ${none}`}`));
  }
  if (!isDecodable(wanted)) return E.left(unreadable(media, `cannot be decoded: convert it to ${CONVERT[kind]}`));
  const fault = limitFault(file, [wanted]);
  if (fault !== null) return E.left(unreadable(media, fault));
  const starts_s = firstMoment(file, kind === 'video' ? picture : undefined);
  const before_s = starts_s - (Number(file.format.start_time ?? 0) || 0);
  const duration_s = Math.max(0, endOfStream(file, wanted) - before_s);
  if (kind === 'audio') return E.right({ kind, duration_s, starts_s });
  const sound_duration_s = sound === undefined ? 0 : Math.max(0, endOfStream(file, sound) - before_s);
  return E.right({
    ...{ kind, ...pictureFacts(wanted), has_audio: sound !== undefined, duration_s, sound_duration_s },
    starts_s,
    seekable: file.format.format_name !== 'mpegts',
  });
};

const imageFacts = async (media: Media, signature: Signature | null): Promise<E.Either<EngineFault, MediaFacts>> => {
  if (signature?.name === 'HEIC') {
    // AVIF may say so too.
    const read = await imageSize(media.path).catch(() => null);
    return read === null
      ? E.left(unreadable(media, 'is a picture in HEIC: convert it to JPEG, PNG or AVIF'))
      : E.right({ kind: 'image', ...read });
  }
  // A compressed SVG grows without bound when it is read.
  if (signature !== null && ['empty', 'other'].includes(signature.is))
    return E.left(unreadable(media, mistaken('image', signature)));
  try {
    return E.right({ kind: 'image', ...(await imageSize(media.path)) });
  } catch (cause) {
    if (!(cause instanceof UnreadableImage)) throw cause;
    const known = signature !== null && signature.is !== 'image';
    return E.left(unreadable(media, known ? mistaken('image', signature) : cause.message));
  }
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
  const { kind, path } = media;
  try {
    if (kind === 'font')
      return (await isFontFile(path))
        ? E.right({ kind })
        : E.left(unreadable(media, 'is not a font that can be read: convert it to TTF or OTF'));
    const signature = await signatureOf(path);
    if (kind === 'image') return await imageFacts(media, signature);
    if (signature?.is === 'empty') return E.left(unreadable(media, mistaken(kind, signature)));
    const file = await probeFile(path, ffprobe_path, limits);
    if (E.isLeft(file)) return file;
    return file.right === null
      ? E.left(unreadable(media, mistaken(kind, signature)))
      : timedFacts(media, kind, file.right);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : '';
    return E.left(surroundingsFault(`the ${kind} "${media.id}" could not be read: ${message}`));
  }
};
