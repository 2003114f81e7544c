import * as E from 'fp-ts/lib/Either.js';
import { secondsText } from '../../domain/composition/source-end-rules.ts';
import { compositionFault, type EngineFault, finallyDied } from '../process/engine-fault.ts';
import { asPath, MAX_ALLOCATION_BYTES, ONLY_FILES } from '../process/ffmpeg-arguments.ts';
import { endedWell, ffmpegFault, hintsAtSource } from '../process/ffmpeg-faults.ts';
import { DECODING_ALONE_BOUNDS } from '../process/process-bounds.ts';
import { countingDown, type ProcessLimits, runProcess, twice } from '../process/run-process.ts';
import { type Downmix, toStereo } from './downmix.ts';

/** A part of one stream of an asset's file, as a run reads it. */
export type SourcePart = {
  readonly asset: string;
  readonly stream: 'video' | 'audio';
  /** The index of the stream in its file. */
  readonly track: number;
  /** Of a sound. */
  readonly downmix?: Downmix;
  readonly path: string;
  /** ffmpeg's options that choose the decoder and its threads. */
  readonly decoder: readonly string[];
  /** Seconds after the file's start, as are all of this type; decoding begins at the key frame before. */
  readonly from_s: number;
  /** Null: the end of the file. */
  readonly until_s: number | null;
  /** The timestamp of the file's start, in seconds. */
  readonly file_starts_s: number;
};

/**
 * `undecodable`: the decoder reports invalid data. `crashed`: it died twice. `unknown`: it took too long, or its
 * machine had too little memory.
 */
export type Decoded = 'decodable' | 'undecodable' | 'crashed' | 'unknown';

const filtersOf = ({ stream, until_s, file_starts_s, downmix = null }: SourcePart): readonly string[] => {
  const end = until_s === null ? [] : [`end=${(file_starts_s + until_s).toFixed(6)}`];
  if (stream === 'audio') {
    // The conversion that every mix begins with: a sound that it refuses is in no film.
    const converted = [...toStereo(downmix), 'aresample=48000'];
    return ['-af', [...end.map((option) => `atrim=${option}`), ...converted].join(',')];
  }
  return end.flatMap((option) => ['-vf', `trim=${option}`]);
};

/**
 * Decodes a part of a file by itself, in the sandbox. Left: cancelled, or ffmpeg could not be started.
 *
 * @param wants `first_frame`: stops at the first frame of a video, and fails without one
 */
export const decodeAlone = async (
  part: SourcePart,
  wants: 'all' | 'first_frame',
  ffmpeg_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, Decoded>> => {
  const { stream, track, path, decoder, from_s } = part;
  const needs_frame = stream === 'video' && wants === 'first_frame';
  const args = [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-max_alloc', String(MAX_ALLOCATION_BYTES)],
    ...['-progress', 'pipe:1', '-nostats', '-copyts', ...decoder],
    ...(from_s > 0 ? ['-noaccurate_seek', '-ss', from_s.toFixed(6)] : []),
    ...[...ONLY_FILES, '-i', asPath(path), '-map', `0:${track}`],
    ...(needs_frame ? ['-frames:v', '1'] : filtersOf(part)),
    ...['-fps_mode:v', 'passthrough', '-f', 'null', '-'],
  ];
  let frames = 0;
  const on_line = (line: string): void => {
    frames = Math.max(frames, Number(/^frame=\s*(\d+)/.exec(line)?.[1] ?? 0));
  };
  const program = { program: ffmpeg_path, args, reads: [asPath(path)], bounds: DECODING_ALONE_BOUNDS, on_line };
  const left = countingDown(limits);
  const ended = await twice(() => runProcess(program, left()));
  if (E.isLeft(ended)) {
    if (ended.left.tag === 'decoder_died') return E.right('crashed');
    return ended.left.tag === 'over_budget' ? E.right('unknown') : ended;
  }
  if (!endedWell(ended.right)) return E.right(hintsAtSource(ended.right.stderr) ? 'undecodable' : 'unknown');
  return E.right(needs_frame && frames === 0 ? 'undecodable' : 'decodable');
};

const REPAIR = 'export the file again, or convert it to MP4 (H.264)';

const partFault = ({ part: { asset, stream, from_s }, decoded }: BadPart): EngineFault => {
  const field = `assets.${asset}`;
  const name = stream === 'video' ? `the video "${asset}"` : `the sound of "${asset}"`;
  if (decoded === 'crashed') return finallyDied({ tag: 'decoder_died', message: '' }, name, field);
  const message = `${name} is damaged: it cannot be decoded from ${secondsText(from_s)} on; ${REPAIR}`;
  return compositionFault('unreadable_media', message, field);
};

/** A part that cannot be decoded. */
export type BadPart = { readonly part: SourcePart; readonly decoded: 'undecodable' | 'crashed' };

/** Programs and wall clock: of one part, and of all. */
export type DecodingAlone = {
  readonly wants: 'all' | 'first_frame';
  readonly one_ms: number;
  readonly all_ms: number;
  readonly ffmpeg_path: string;
  readonly limits: ProcessLimits;
};

/** The first of these parts that cannot be decoded by itself; null if there is none, or none is known. Left: as `decodeAlone`. */
export const firstBadPart = async (
  parts: readonly SourcePart[],
  { wants, one_ms, all_ms, ffmpeg_path, limits }: DecodingAlone,
): Promise<E.Either<EngineFault, BadPart | null>> => {
  const left = countingDown({ ...limits, budget_ms: Math.min(all_ms, limits.budget_ms) });
  for (const part of parts) {
    const own = left();
    if (own.budget_ms <= 0) break;
    const bounded = { ...own, budget_ms: Math.min(one_ms, own.budget_ms) };
    const decoded = await decodeAlone(part, wants, ffmpeg_path, bounded);
    if (E.isLeft(decoded)) return decoded;
    if (decoded.right === 'undecodable' || decoded.right === 'crashed')
      return E.right({ part, decoded: decoded.right });
  }
  return E.right(null);
};

/** Wall clock of one file, and of all files of a run. */
const ALONE_MS = 60_000;
const ALL_ALONE_MS = 300_000;

type Programs = Pick<DecodingAlone, 'ffmpeg_path' | 'limits'>;

/**
 * The fault of the first of these parts that cannot be decoded by itself; `otherwise` if all can, or none is known not to.
 *
 * @param parts all that a failed process read
 */
export const faultOfSource = async (
  parts: readonly SourcePart[],
  otherwise: EngineFault,
  wants: 'all' | 'first_frame',
  programs: Programs,
): Promise<EngineFault> => {
  const found = await firstBadPart(parts, { ...programs, wants, one_ms: ALONE_MS, all_ms: ALL_ALONE_MS });
  if (E.isLeft(found)) return found.left.tag === 'cancelled' ? found.left : otherwise;
  return found.right === null ? otherwise : partFault(found.right);
};

/**
 * The fault of an ffmpeg that failed: of the machine, or of the first source that cannot be decoded by itself, where its
 * standard error mentions one.
 */
export const faultOfRun = async (
  stderr: string,
  parts: readonly SourcePart[],
  programs: Programs,
): Promise<EngineFault> => {
  const failed = ffmpegFault(stderr);
  return hintsAtSource(stderr) ? await faultOfSource(parts, failed, 'all', programs) : failed;
};
