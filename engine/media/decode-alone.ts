import * as E from 'fp-ts/lib/Either.js';
import { secondsText } from '../../domain/composition/source-end-rules.ts';
import { compositionFault, type EngineFault, refusedAfterCrash } from '../process/engine-fault.ts';
import { absolutePath, LOCAL_FILE_OPTIONS, MAX_ALLOCATION_BYTES } from '../process/ffmpeg-arguments.ts';
import { blamesInput, ffmpegFault, hasSucceeded } from '../process/ffmpeg-faults.ts';
import { STREAM_DECODING_BOUNDS } from '../process/process-bounds.ts';
import { type ProcessLimits, remainingLimits, retryOnceAfterCrash, runProcess } from '../process/run-process.ts';
import { type Downmix, stereoFilters } from './downmix.ts';

export type SourcePart = {
  readonly asset: string;
  readonly stream: 'video' | 'audio';
  readonly track: number;
  readonly downmix?: Downmix;
  readonly path: string;
  /** ffmpeg options that select the decoder and its threads. */
  readonly decoder: readonly string[];
  /** Seconds after the file's start, like all times of this type. Decoding begins at the key frame before. */
  readonly from_s: number;
  readonly until_s: number | null;
  readonly file_starts_s: number;
};

/** `crashed`: the decoder crashed twice. `unknown`: it took too long, or the machine had too little memory. */
export type DecodeOutcome = 'decodable' | 'undecodable' | 'crashed' | 'unknown';

const filtersOf = ({ stream, until_s, file_starts_s, downmix = null }: SourcePart): readonly string[] => {
  const end = until_s === null ? [] : [`end=${(file_starts_s + until_s).toFixed(6)}`];
  if (stream === 'audio') {
    // The conversion with which every mix begins. A sound that the mix would reject is therefore found here.
    const conversion = [...stereoFilters(downmix), 'aresample=48000'];
    return ['-af', [...end.map((option) => `atrim=${option}`), ...conversion].join(',')];
  }
  return end.flatMap((option) => ['-vf', `trim=${option}`]);
};

/** @param wants `first_frame` stops after the first frame of a video, and reports `undecodable` without one */
export const decodeSourcePart = async (
  part: SourcePart,
  wants: 'all' | 'first_frame',
  ffmpeg_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, DecodeOutcome>> => {
  const { stream, track, path, decoder, from_s } = part;
  const needs_frame = stream === 'video' && wants === 'first_frame';
  const args = [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-max_alloc', String(MAX_ALLOCATION_BYTES)],
    ...['-progress', 'pipe:1', '-nostats', '-copyts', ...decoder],
    ...(from_s > 0 ? ['-noaccurate_seek', '-ss', from_s.toFixed(6)] : []),
    ...[...LOCAL_FILE_OPTIONS, '-i', absolutePath(path), '-map', `0:${track}`],
    ...(needs_frame ? ['-frames:v', '1'] : filtersOf(part)),
    ...['-fps_mode:v', 'passthrough', '-f', 'null', '-'],
  ];
  let frames = 0;
  const on_line = (line: string): void => {
    frames = Math.max(frames, Number(/^frame=\s*(\d+)/.exec(line)?.[1] ?? 0));
  };
  const program = { program: ffmpeg_path, args, reads: [absolutePath(path)], bounds: STREAM_DECODING_BOUNDS, on_line };
  const limitsNow = remainingLimits(limits);
  const run = await retryOnceAfterCrash(() => runProcess(program, limitsNow()));
  if (E.isLeft(run)) {
    if (run.left.tag === 'decoder_died') return E.right('crashed');
    return run.left.tag === 'over_budget' ? E.right('unknown') : run;
  }
  if (!hasSucceeded(run.right)) return E.right(blamesInput(run.right.stderr) ? 'undecodable' : 'unknown');
  return E.right(needs_frame && frames === 0 ? 'undecodable' : 'decodable');
};

const REPAIR = 'export the file again, or convert it to MP4 (H.264)';

const partFault = ({ part: { asset, stream, from_s }, decoded }: UndecodablePart): EngineFault => {
  const field = `assets.${asset}`;
  const name = stream === 'video' ? `the video "${asset}"` : `the sound of "${asset}"`;
  if (decoded === 'crashed') return refusedAfterCrash({ tag: 'decoder_died', message: '' }, name, field);
  const message = `${name} is damaged: decoding fails after ${secondsText(from_s)}; ${REPAIR}`;
  return compositionFault('unreadable_media', message, field);
};

export type UndecodablePart = { readonly part: SourcePart; readonly decoded: 'undecodable' | 'crashed' };

/** `one_ms` limits each part, `all_ms` all of them, both in wall-clock time. */
export type FindUndecodablePartOptions = {
  readonly wants: 'all' | 'first_frame';
  readonly one_ms: number;
  readonly all_ms: number;
  readonly ffmpeg_path: string;
  readonly limits: ProcessLimits;
};

/** Null if every part can be decoded, or none is proven undecodable. Left: as for `decodeSourcePart`. */
export const findUndecodablePart = async (
  parts: readonly SourcePart[],
  { wants, one_ms, all_ms, ffmpeg_path, limits }: FindUndecodablePartOptions,
): Promise<E.Either<EngineFault, UndecodablePart | null>> => {
  const limitsNow = remainingLimits({ ...limits, budget_ms: Math.min(all_ms, limits.budget_ms) });
  for (const part of parts) {
    const own = limitsNow();
    if (own.budget_ms <= 0) break;
    const part_limits = { ...own, budget_ms: Math.min(one_ms, own.budget_ms) };
    const decoded = await decodeSourcePart(part, wants, ffmpeg_path, part_limits);
    if (E.isLeft(decoded)) return decoded;
    if (decoded.right === 'undecodable' || decoded.right === 'crashed')
      return E.right({ part, decoded: decoded.right });
  }
  return E.right(null);
};

const PART_MS = 60_000;
const ALL_PARTS_MS = 300_000;

type Programs = Pick<FindUndecodablePartOptions, 'ffmpeg_path' | 'limits'>;

/**
 * The fault names the first part that cannot be decoded; `otherwise` if none is found.
 *
 * @param parts everything that the failed ffmpeg run read
 */
export const findSourceFault = async (
  parts: readonly SourcePart[],
  otherwise: EngineFault,
  wants: 'all' | 'first_frame',
  programs: Programs,
): Promise<EngineFault> => {
  const found = await findUndecodablePart(parts, { ...programs, wants, one_ms: PART_MS, all_ms: ALL_PARTS_MS });
  if (E.isLeft(found)) return found.left.tag === 'cancelled' ? found.left : otherwise;
  return found.right === null ? otherwise : partFault(found.right);
};

/**
 * If ffmpeg's standard error blames an input, the fault names the first bad source. Otherwise the machine is at fault.
 */
export const findRunFault = async (
  stderr: string,
  parts: readonly SourcePart[],
  programs: Programs,
): Promise<EngineFault> => {
  const failed = ffmpegFault(stderr);
  return blamesInput(stderr) ? await findSourceFault(parts, failed, 'all', programs) : failed;
};
