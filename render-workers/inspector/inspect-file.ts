import * as E from 'fp-ts/lib/Either.js';
import type { MediaSummary, Upload } from '../../domain/uploads/upload.ts';
import { withFullDecoding } from '../../engine/media/inspection.ts';
import type { ImageProperties, MediaProperties, VideoProperties } from '../../engine/media/media-properties.ts';
import { probe } from '../../engine/media/probe.ts';
import type { ProbedFile } from '../../engine/media/probed-file.ts';
import { sampleDecode } from '../../engine/media/sample-decode.ts';
import { chooseTrack } from '../../engine/media/tracks.ts';
import { compositionFault, type EngineFault, infrastructureFault } from '../../engine/process/engine-fault.ts';
import type { ProcessLimits } from '../../engine/process/run-process.ts';
import { openRasterProcess, type RasterProcess } from '../../engine/raster/raster-process.ts';

export type InspectFileOptions = {
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly limits: ProcessLimits;
};

export type InspectedFile = { readonly media: MediaSummary; readonly font_covers: string | null };

type Kind = Upload['kind'];

const NOTHING: MediaSummary = {
  ...{ width: null, height: null, duration_s: null, frame_rate: null, video_codec: null, audio_codec: null },
  ...{ has_audio: false, has_alpha: null, color: null, font_family: null },
};

/** Names the file in messages, which begin with the kind and this id. The caller removes both. */
const ID = 'file';

const ofVideo = ({ color, ...video }: VideoProperties): Partial<MediaSummary> => {
  const { width, height, duration_s, frame_rate, has_alpha, sound_track } = video;
  const range = color.hdr === null ? 'sdr' : color.hdr.transfer === 'smpte2084' ? 'hdr10' : 'hlg';
  return {
    ...{ width, height, duration_s, has_alpha, color: range, has_audio: sound_track !== null },
    frame_rate: frame_rate === 0 ? null : frame_rate,
  };
};

const ofImage = ({ width, height, duration_s, has_alpha }: ImageProperties): Partial<MediaSummary> => ({
  ...{ width, height, duration_s, has_alpha },
});

const summaryOf = (properties: MediaProperties, file: ProbedFile | null): MediaSummary => {
  const codecOf = (type: 'video' | 'audio') =>
    (file === null ? undefined : chooseTrack(file, type)?.codec_name) ?? null;
  switch (properties.kind) {
    case 'image':
      return { ...NOTHING, ...ofImage(properties) };
    case 'video': {
      const audio_codec = properties.sound_track === null ? null : codecOf('audio');
      return { ...NOTHING, ...ofVideo(properties), video_codec: codecOf('video'), audio_codec };
    }
    case 'audio':
      return { ...NOTHING, duration_s: properties.duration_s, has_audio: true, audio_codec: codecOf('audio') };
    case 'font':
      return NOTHING;
  }
};

const inspectFont = async (path: string, inspector: RasterProcess): Promise<E.Either<EngineFault, InspectedFile>> => {
  const seen = await inspector.inspect('family', path);
  if (E.isLeft(seen)) return seen;
  switch (seen.right.tag) {
    case 'family':
      return E.right({ media: { ...NOTHING, font_family: seen.right.family }, font_covers: seen.right.covers });
    case 'refused':
      return E.left(compositionFault('unreadable_media', seen.right.message));
    default:
      return E.left(infrastructureFault('the raster process sent an unexpected answer'));
  }
};

const inspectMedia = async (
  kind: Exclude<Kind, 'font'>,
  path: string,
  inspector: RasterProcess,
  { ffmpeg_path, ffprobe_path, limits }: InspectFileOptions,
): Promise<E.Either<EngineFault, InspectedFile>> => {
  const media = { id: ID, kind, path };
  let probed: ProbedFile | null = null;
  const tools = {
    ...{ ffprobe_path, inspector: withFullDecoding(inspector) },
    on_probed: (file: ProbedFile) => {
      probed = file;
    },
  };
  const properties = await probe(media, tools, limits);
  if (E.isLeft(properties)) return properties;
  const decoded = await sampleDecode(media, properties.right, ffmpeg_path, limits);
  if (E.isLeft(decoded)) return decoded;
  return E.right({ media: summaryOf(properties.right, probed), font_covers: null });
};

/** Decodes whole images, and of videos and sounds the first, a middle and the last second, in the sandbox. */
export const inspectFile = async (
  kind: Kind,
  path: string,
  options: InspectFileOptions,
): Promise<E.Either<EngineFault, InspectedFile>> => {
  const inspector = openRasterProcess(
    { assets: new Map([[ID, path]]), families: new Map(), folder: null, decodes: true },
    () => options.limits,
  );
  try {
    return kind === 'font' ? await inspectFont(path, inspector) : await inspectMedia(kind, path, inspector, options);
  } finally {
    await inspector.close();
  }
};

/** The message of a fault of the file, without the name that the caller shows. */
export const messageAboutFile = (message: string, kind: Kind): string => {
  const name = `the ${kind} "${ID}" `;
  return message.startsWith(name) ? message.slice(name.length) : message;
};
