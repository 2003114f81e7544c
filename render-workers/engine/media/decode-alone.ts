import * as E from 'fp-ts/lib/Either.js';
import { secondsText } from '../../../domain/composition/source-end-rules.ts';
import { compositionFault, type EngineFault, finallyDied } from '../process/engine-fault.ts';
import { asPath, MAX_ALLOCATION_BYTES, ONLY_FILES } from '../process/ffmpeg-arguments.ts';
import { endedWell, hintsAtSource } from '../process/ffmpeg-faults.ts';
import { DECODING_ALONE_BOUNDS } from '../process/process-bounds.ts';
import { countingDown, type ProcessLimits, runProcess, twice } from '../process/run-process.ts';

/** A part of one stream of an asset's file, as a run reads it. */
export type SourcePart = {
  readonly asset: string;
  readonly stream: 'video' | 'audio';
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

/** The conversion that every mix begins with: a sound that it refuses is in no film. */
const CONVERTED = 'aresample=48000,aformat=sample_fmts=fltp:channel_layouts=mono|stereo';

const filtersOf = ({ stream, until_s, file_starts_s }: SourcePart): readonly string[] => {
  const end = until_s === null ? [] : [`end=${(file_starts_s + until_s).toFixed(6)}`];
  if (stream === 'audio') return ['-af', [...end.map((option) => `atrim=${option}`), CONVERTED].join(',')];
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
  const { stream, path, decoder, from_s } = part;
  const needs_frame = stream === 'video' && wants === 'first_frame';
  const args = [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-max_alloc', String(MAX_ALLOCATION_BYTES)],
    ...['-progress', 'pipe:1', '-nostats', '-copyts', ...decoder],
    ...(from_s > 0 ? ['-noaccurate_seek', '-ss', from_s.toFixed(6)] : []),
    ...[...ONLY_FILES, '-i', asPath(path), '-map', stream === 'video' ? '0:V:0' : '0:a:0'],
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

/** Null where the part is not at fault. */
const partFault = ({ asset, stream, from_s }: SourcePart, decoded: Decoded): EngineFault | null => {
  const field = `assets.${asset}`;
  const name = stream === 'video' ? `the video "${asset}"` : `the sound of "${asset}"`;
  switch (decoded) {
    case 'undecodable': {
      return compositionFault(
        'unreadable_media',
        `${name} is damaged: it cannot be decoded from ${secondsText(from_s)} on; ${REPAIR}`,
        field,
      );
    }
    case 'crashed':
      return finallyDied({ tag: 'decoder_died', message: '' }, name, field);
    case 'decodable':
    case 'unknown':
      return null;
  }
};

/** Wall clock of one file, and of all files of a run. */
const ALONE_MS = 60_000;
const ALL_ALONE_MS = 300_000;

/**
 * The fault of the first of these parts that cannot be decoded by itself; `otherwise` if all can, or none is known not to.
 *
 * @param parts all that a failed process read
 */
export const faultOfSource = async (
  parts: readonly SourcePart[],
  otherwise: EngineFault,
  wants: 'all' | 'first_frame',
  { ffmpeg_path, limits }: { readonly ffmpeg_path: string; readonly limits: ProcessLimits },
): Promise<EngineFault> => {
  const left = countingDown({ ...limits, budget_ms: Math.min(ALL_ALONE_MS, limits.budget_ms) });
  for (const part of parts) {
    const own = left();
    if (own.budget_ms <= 0) break;
    const decoded = await decodeAlone(part, wants, ffmpeg_path, {
      ...own,
      budget_ms: Math.min(ALONE_MS, own.budget_ms),
    });
    if (E.isLeft(decoded)) return decoded.left.tag === 'cancelled' ? decoded.left : otherwise;
    const fault = partFault(part, decoded.right);
    if (fault !== null) return fault;
  }
  return otherwise;
};
