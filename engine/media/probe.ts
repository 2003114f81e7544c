import { stat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { AssetKind } from '../../domain/composition/assets.ts';
import { REMEDY } from '../../domain/composition/file-forms.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { compositionFault, type EngineFault, finallyDied, infrastructureFault } from '../process/engine-fault.ts';
import { type ProcessLimits, twice } from '../process/run-process.ts';
import { downmixFault, downmixOf } from './downmix.ts';
import { probeFile } from './ffprobe.ts';
import type { Inspector } from './inspection.ts';
import type { MediaProperties } from './media-properties.ts';
import type { ProbedFile, ProbedStream } from './probed-file.ts';
import { endOfStream, limitFault } from './source-limits.ts';
import { chosenTrack, isDecodable } from './tracks.ts';
import { CONVERT, unreadableReason } from './unreadable-file.ts';
import { ownDolbyProfile, videoStreamProperties } from './video-properties.ts';

type Media = { readonly id: string; readonly kind: AssetKind; readonly path: string };

const unreadable = ({ id, kind }: Media, what: string): EngineFault =>
  compositionFault('unreadable_media', `the ${kind} "${id}" ${what}`, `assets.${id}`);

/**
 * Seconds: a file is taken to begin with its first video frame where that is at most so much later than the rest. MPEG-TS
 * does not say what primes an AAC decoder: 1024 samples, 46 ms at 22,050 a second. Fragmented MP4s of ffmpeg delay all but
 * that by their B-frames: two frames, 83 ms at 24 a second.
 */
const PRIMING_S = 0.09;

/** Matroska's times are whole milliseconds. */
const ROUNDED_S = 0.0011;

/**
 * The timestamp of the file's start. What is before 0 primes an audio decoder and is not heard; for this, some files
 * delay everything else a little. In MPEG-TS it is heard: where the clock begins again within a minute of the file's start,
 * ffmpeg's times before that are negative.
 */
const firstMoment = ({ format }: ProbedFile, picture: ProbedStream | undefined): number => {
  const begins_s = Number(format.start_time ?? 0) || 0;
  const first_s = format.format_name === 'mpegts' ? begins_s : Math.max(0, begins_s);
  const seen_s = Number(picture?.start_time ?? first_s) || 0;
  return seen_s > first_s && seen_s - first_s < PRIMING_S ? seen_s : first_s;
};

/**
 * The timestamp at which a video's sound begins to count, in seconds. ffmpeg delays all of a WebM file by what primes its
 * Opus decoder, and readers take that from the sound alone, which is then early by it.
 */
const firstMomentOfSound = (starts_s: number, sound: ProbedStream | undefined): number => {
  const primed_s = -(Number(sound?.start_time ?? 0) || 0);
  return primed_s > 0 && Math.abs(starts_s - primed_s) < ROUNDED_S ? 0 : starts_s;
};

/** Formats in which a frame is found only by reading from the beginning. */
const WITHOUT_INDEX: readonly string[] = ['mpegts', 'asf'];

/** Sample descriptions of protected tracks: those of iTunes, and of ISO/IEC 23001-7. */
const PROTECTED: readonly (string | undefined)[] = ['drms', 'drmi', 'enca', 'encv'];

/** Why a stream cannot be decoded, as a message that follows what it is of; or null. */
const decoderFault = (file: ProbedFile, stream: ProbedStream, kind: 'video' | 'audio'): string | null => {
  const { codec_name, codec_tag_string, index } = stream;
  if (PROTECTED.includes(codec_tag_string) || file.isEncrypted(index))
    return `is encrypted, as copy-protected files are: ${REMEDY.encrypted}`;
  if (isDecodable(stream)) return null;
  return codec_name === undefined || codec_name === 'unknown'
    ? `is in a codec that cannot be decoded here: convert it to ${CONVERT[kind]}`
    : `cannot be decoded: it is damaged, or has to be converted to ${CONVERT[kind]}`;
};

const soundFault = (file: ProbedFile, sound: ProbedStream): string | null =>
  decoderFault(file, sound, 'audio') ?? downmixFault(sound);

const missingTrack = (kind: 'video' | 'audio', has_other: boolean): string => {
  if (kind === 'video')
    return has_other
      ? 'holds sound only, no picture: use it as a sound, or export it with its picture'
      : 'holds no picture: export it again';
  return has_other ? 'holds a picture only, no sound: export it with its sound' : 'holds no sound: export it again';
};

const timedProperties = (
  media: Media,
  kind: 'video' | 'audio',
  file: ProbedFile,
): E.Either<EngineFault, MediaProperties> => {
  const picture = chosenTrack(file, 'video');
  const heard = chosenTrack(file, 'audio');
  // A video's sound track may be empty.
  const sound = kind === 'video' && heard !== undefined && file.endOf(heard.index) === null ? undefined : heard;
  const wanted = kind === 'video' ? picture : sound;
  const other = kind === 'video' ? sound : picture;
  if (wanted === undefined) return E.left(unreadable(media, missingTrack(kind, other !== undefined)));
  const undecodable = decoderFault(file, wanted, kind);
  if (undecodable !== null) return E.left(unreadable(media, undecodable));
  const dolby = kind === 'video' ? ownDolbyProfile(wanted) : null;
  if (dolby !== null)
    return E.left(
      unreadable(
        media,
        `is in Dolby Vision profile ${dolby}, which only Dolby decoders can show: export it as HDR10, HLG or SDR`,
      ),
    );
  const fault = limitFault(file, [wanted]);
  if (fault !== null) return E.left(unreadable(media, fault));
  const mixed = sound === undefined ? null : soundFault(file, sound);
  if (mixed !== null) return E.left(unreadable(media, kind === 'video' ? `has a sound that ${mixed}` : mixed));
  const downmix = sound === undefined ? null : downmixOf(sound);
  const starts_s = firstMoment(file, kind === 'video' ? picture : undefined);
  const before_s = starts_s - (Number(file.format.start_time ?? 0) || 0);
  const duration_s = Math.max(0, endOfStream(file, wanted) - before_s);
  const begins_again = file.format.format_name === 'mpegts' && file.chainedEndOf(wanted.index) !== null;
  const restarting = begins_again ? ({ begins_again } as const) : {};
  if (kind === 'audio') {
    const sound = { kind, track: wanted.index, downmix, ...restarting } as const;
    const chained_s = file.format.format_name === 'ogg' ? file.chainedEndOf(wanted.index) : null;
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
      ...videoStreamProperties(wanted),
      ...restarting,
      track: wanted.index,
      sound_track: sound?.index ?? null,
      downmix,
      duration_s,
      sound_duration_s,
    },
    starts_s,
    sound_starts_s: firstMomentOfSound(starts_s, sound),
    seekable: !WITHOUT_INDEX.includes(file.format.format_name),
    key_frames_s: file.keyFramesOf(wanted.index).map((at_s) => at_s - starts_s),
  });
};

/** The programs that read files. */
export type Probes = { readonly ffprobe_path: string; readonly inspector: Inspector };

/** Wall clock, for each file. */
const FILE_MS = 25_000;

/** A file that takes too long to probe counts as a crash of its decoder. */
const withinFileTime = async <A>(
  ask: (limits: ProcessLimits) => Promise<E.Either<EngineFault, A>>,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, A>> => {
  const own = { ...limits, budget_ms: Math.min(FILE_MS, limits.budget_ms) };
  const answer = await ask(own);
  const late = E.isLeft(answer) && answer.left.tag === 'over_budget' && own.budget_ms < limits.budget_ms;
  return late ? E.left({ tag: 'decoder_died', message: `ffprobe ${answer.left.message}` }) : answer;
};

const inspectedProperties = async (
  media: Media,
  what: 'image' | 'font',
  { inspector }: Probes,
): Promise<E.Either<EngineFault, MediaProperties>> => {
  const seen = await inspector.look(what, media.path);
  if (E.isLeft(seen)) return seen;
  switch (seen.right.tag) {
    case 'image':
      return E.right({ kind: 'image', ...seen.right.image });
    case 'font':
      return E.right({ kind: 'font', covers: seen.right.covers });
    case 'refused':
      return E.left(unreadable(media, seen.right.message));
    default:
      return E.left(infrastructureFault('the raster process answered another question'));
  }
};

const timedFile = async (
  media: Media,
  kind: 'video' | 'audio',
  { ffprobe_path, inspector }: Probes,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, MediaProperties>> => {
  const file = await twice(() => withinFileTime((own) => probeFile(media.path, ffprobe_path, own), limits));
  if (E.isLeft(file)) return file;
  if (file.right !== null) return timedProperties(media, kind, file.right);
  const seen = await inspector.look('signature', media.path);
  if (E.isLeft(seen)) return seen;
  return E.left(
    unreadable(media, unreadableReason(kind, seen.right.tag === 'signature' ? seen.right.signature : null)),
  );
};

/**
 * Properties of an asset's file, read in the sandbox under the engine's allow-lists of protocols and formats. A file of
 * another kind, or one that crashes its decoder twice, is a fault of the composition.
 */
export const probe = async (
  media: Media,
  probes: Probes,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, MediaProperties>> => {
  const { id, kind, path } = media;
  try {
    const empty = (await stat(path)).size === 0;
    if (empty && kind !== 'font') return E.left(unreadable(media, `is empty: ${REMEDY.incomplete}`));
    const properties =
      kind === 'image' || kind === 'font'
        ? await inspectedProperties(media, kind, probes)
        : await timedFile(media, kind, probes, limits);
    return E.isLeft(properties)
      ? E.left(finallyDied(properties.left, `the ${kind} "${id}"`, `assets.${id}`))
      : properties;
  } catch (cause) {
    return E.left(infrastructureFault(`the ${kind} "${id}" could not be read: ${messageOf(cause)}`));
  }
};
