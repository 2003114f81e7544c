import { stat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { AssetKind } from '../../domain/composition/assets.ts';
import { FILE_REMEDIES } from '../../domain/composition/file-forms.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { compositionFault, type EngineFault, infrastructureFault, refusedAfterCrash } from '../process/engine-fault.ts';
import { type ProcessLimits, retryOnceAfterCrash } from '../process/run-process.ts';
import { downmixFault, downmixOf } from './downmix.ts';
import { probeFile } from './ffprobe.ts';
import type { Inspector } from './inspection.ts';
import type { MediaProperties } from './media-properties.ts';
import type { ProbedFile, ProbedStream } from './probed-file.ts';
import { endOfStream, limitFault } from './source-limits.ts';
import { chooseTrack, isDecodable } from './tracks.ts';
import { CONVERSION_TARGETS, unreadableReason } from './unreadable-file.ts';
import { proprietaryDolbyProfile, videoStreamProperties } from './video-properties.ts';

type Media = { readonly id: string; readonly kind: AssetKind; readonly path: string };

const unreadableFault = ({ id, kind }: Media, what: string): EngineFault =>
  compositionFault('unreadable_media', `the ${kind} "${id}" ${what}`, `assets.${id}`);

/**
 * If the first video frame is at most this many seconds later than the rest, the file begins with that frame. The
 * unmarked AAC priming of MPEG-TS is 1024 samples: 46 ms at 22,050 Hz. Fragmented MP4s of ffmpeg delay everything else
 * by their B-frames: two frames, 83 ms at 24 frames per second.
 */
const PRIMING_S = 0.09;

/** Tolerance in seconds, because Matroska's timestamps are rounded to milliseconds. */
const ROUNDED_S = 0.0011;

/**
 * The timestamp at which the file starts. Audio before timestamp 0 only primes a decoder, and in some files everything
 * else starts a little later. In MPEG-TS, audio before 0 is audible: if timestamps restart within a minute, ffmpeg
 * reports the earlier ones as negative.
 */
const fileStart = ({ format }: ProbedFile, picture: ProbedStream | undefined): number => {
  const begins_s = Number(format.start_time ?? 0) || 0;
  const first_s = format.format_name === 'mpegts' ? begins_s : Math.max(0, begins_s);
  const seen_s = Number(picture?.start_time ?? first_s) || 0;
  return seen_s > first_s && seen_s - first_s < PRIMING_S ? seen_s : first_s;
};

/**
 * The timestamp of the audio at the file's start. When ffmpeg writes WebM, it delays everything by the priming of the
 * Opus decoder. Readers subtract the priming only from the audio, which is then early.
 */
const audioStart = (starts_s: number, sound: ProbedStream | undefined): number => {
  const primed_s = -(Number(sound?.start_time ?? 0) || 0);
  return primed_s > 0 && Math.abs(starts_s - primed_s) < ROUNDED_S ? 0 : starts_s;
};

/** In these formats, a frame is found only by reading from the beginning. */
const WITHOUT_INDEX: readonly string[] = ['mpegts', 'asf'];

/** Sample descriptions of protected tracks, of iTunes and of ISO/IEC 23001-7. */
const PROTECTED: readonly (string | undefined)[] = ['drms', 'drmi', 'enca', 'encv'];

/** A message that follows the asset's name; null if the stream can be decoded. */
const decoderFault = (file: ProbedFile, stream: ProbedStream, kind: 'video' | 'audio'): string | null => {
  const { codec_name, codec_tag_string, index } = stream;
  if (PROTECTED.includes(codec_tag_string) || file.isEncrypted(index))
    return `is encrypted, as copy-protected files are: ${FILE_REMEDIES.encrypted}`;
  if (isDecodable(stream)) return null;
  return codec_name === undefined || codec_name === 'unknown'
    ? `has an unsupported codec: convert it to ${CONVERSION_TARGETS[kind]}`
    : `cannot be decoded: it is damaged or unsupported. Export it again, or convert it to ${CONVERSION_TARGETS[kind]}`;
};

const soundFault = (file: ProbedFile, sound: ProbedStream): string | null =>
  decoderFault(file, sound, 'audio') ?? downmixFault(sound);

const missingTrack = (kind: 'video' | 'audio', has_other: boolean): string => {
  if (kind === 'video')
    return has_other
      ? 'has audio but no video: use it as an audio asset, or export it with its video'
      : 'has no video: export it again';
  return has_other ? 'has video but no audio: export it with its audio' : 'has no audio: export it again';
};

const streamProperties = (
  media: Media,
  kind: 'video' | 'audio',
  file: ProbedFile,
): E.Either<EngineFault, MediaProperties> => {
  const picture = chooseTrack(file, 'video');
  const audio = chooseTrack(file, 'audio');
  // An audio track of a video may be empty. It then counts as missing.
  const sound = kind === 'video' && audio !== undefined && file.endOf(audio.index) === null ? undefined : audio;
  const stream = kind === 'video' ? picture : sound;
  const other = kind === 'video' ? sound : picture;
  if (stream === undefined) return E.left(unreadableFault(media, missingTrack(kind, other !== undefined)));
  const decoder_fault = decoderFault(file, stream, kind);
  if (decoder_fault !== null) return E.left(unreadableFault(media, decoder_fault));
  const dolby = kind === 'video' ? proprietaryDolbyProfile(stream) : null;
  if (dolby !== null)
    return E.left(
      unreadableFault(
        media,
        `is in Dolby Vision profile ${dolby}, which is not supported: export it as HDR10, HLG or SDR`,
      ),
    );
  const fault = limitFault(file, [stream]);
  if (fault !== null) return E.left(unreadableFault(media, fault));
  const sound_fault = sound === undefined ? null : soundFault(file, sound);
  if (sound_fault !== null)
    return E.left(unreadableFault(media, kind === 'video' ? `has audio that ${sound_fault}` : sound_fault));
  const downmix = sound === undefined ? null : downmixOf(sound);
  const starts_s = fileStart(file, kind === 'video' ? picture : undefined);
  const before_s = starts_s - (Number(file.format.start_time ?? 0) || 0);
  const duration_s = Math.max(0, endOfStream(file, stream) - before_s);
  const begins_again = file.format.format_name === 'mpegts' && file.chainedEndOf(stream.index) !== null;
  const restarts = begins_again ? ({ begins_again } as const) : {};
  if (kind === 'audio') {
    const sound = { kind, track: stream.index, downmix, ...restarts } as const;
    const chained_s = file.format.format_name === 'ogg' ? file.chainedEndOf(stream.index) : null;
    return E.right(
      chained_s === null
        ? { ...sound, duration_s, starts_s }
        : { ...sound, duration_s: chained_s, starts_s: 0, chained: true },
    );
  }
  const sound_duration_s = sound === undefined ? 0 : Math.max(0, endOfStream(file, sound) - before_s);
  return E.right({
    ...{
      kind,
      ...videoStreamProperties(stream),
      ...restarts,
      track: stream.index,
      sound_track: sound?.index ?? null,
      downmix,
      duration_s,
      sound_duration_s,
    },
    starts_s,
    sound_starts_s: audioStart(starts_s, sound),
    seekable: !WITHOUT_INDEX.includes(file.format.format_name),
    key_frames_s: file.keyFramesOf(stream.index).map((at_s) => at_s - starts_s),
  });
};

export type ProbeTools = {
  readonly ffprobe_path: string;
  readonly inspector: Inspector;
  /** Called with the streams of a video or sound before they are judged. */
  readonly on_probed?: (file: ProbedFile) => void;
};

const FILE_MS = 25_000;

/** A file that takes too long to probe counts as a crash of its decoder. */
const withinFileTime = async <A>(
  ask: (limits: ProcessLimits) => Promise<E.Either<EngineFault, A>>,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, A>> => {
  const file_limits = { ...limits, budget_ms: Math.min(FILE_MS, limits.budget_ms) };
  const answer = await ask(file_limits);
  const is_late = E.isLeft(answer) && answer.left.tag === 'over_budget' && file_limits.budget_ms < limits.budget_ms;
  return is_late ? E.left({ tag: 'decoder_died', message: `ffprobe ${answer.left.message}` }) : answer;
};

const inspectFile = async (
  media: Media,
  what: 'image' | 'font',
  { inspector }: ProbeTools,
): Promise<E.Either<EngineFault, MediaProperties>> => {
  const inspected = await inspector.inspect(what, media.path);
  if (E.isLeft(inspected)) return inspected;
  switch (inspected.right.tag) {
    case 'image':
      return E.right({ kind: 'image', ...inspected.right.image });
    case 'font':
      return E.right({ kind: 'font', covers: inspected.right.covers });
    case 'refused':
      return E.left(unreadableFault(media, inspected.right.message));
    default:
      return E.left(infrastructureFault('the raster process sent an unexpected answer'));
  }
};

const probeStreams = async (
  media: Media,
  kind: 'video' | 'audio',
  { ffprobe_path, inspector, on_probed }: ProbeTools,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, MediaProperties>> => {
  const file = await retryOnceAfterCrash(() =>
    withinFileTime((file_limits) => probeFile(media.path, ffprobe_path, file_limits), limits),
  );
  if (E.isLeft(file)) return file;
  if (file.right !== null) {
    on_probed?.(file.right);
    return streamProperties(media, kind, file.right);
  }
  const inspected = await inspector.inspect('signature', media.path);
  if (E.isLeft(inspected)) return inspected;
  return E.left(
    unreadableFault(
      media,
      unreadableReason(kind, inspected.right.tag === 'signature' ? inspected.right.signature : null),
    ),
  );
};

/** A file of another kind, or one that crashes its decoder twice, is a fault of the composition. */
export const probe = async (
  media: Media,
  probes: ProbeTools,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, MediaProperties>> => {
  const { id, kind, path } = media;
  try {
    const empty = (await stat(path)).size === 0;
    if (empty && kind !== 'font') return E.left(unreadableFault(media, `is empty: ${FILE_REMEDIES.incomplete}`));
    const properties =
      kind === 'image' || kind === 'font'
        ? await inspectFile(media, kind, probes)
        : await probeStreams(media, kind, probes, limits);
    return E.isLeft(properties)
      ? E.left(refusedAfterCrash(properties.left, `the ${kind} "${id}"`, `assets.${id}`))
      : properties;
  } catch (cause) {
    return E.left(infrastructureFault(`the ${kind} "${id}" could not be read: ${messageOf(cause)}`));
  }
};
