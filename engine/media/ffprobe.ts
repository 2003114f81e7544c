import { stat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { absolutePath, LOCAL_FILE_OPTIONS } from '../process/ffmpeg-arguments.ts';
import { PROBING_BOUNDS } from '../process/process-bounds.ts';
import { type ProcessLimits, runProcess } from '../process/run-process.ts';
import { countPackets } from './packet-count.ts';
import { headerEnd, isMp4, Probed, type ProbedFile, type ProbedStream, timeBaseSeconds } from './probed-file.ts';
import { type PacketEnd, resolveStreamEnd } from './stream-end.ts';
import { chooseTrack } from './tracks.ts';

const STREAMS = [
  'format=format_name,start_time',
  'stream',
  'stream_tags=alpha_mode,ALPHA_MODE',
  'stream_disposition=attached_pic,default',
  'stream_side_data=rotation,displaymatrix,dv_profile,dv_bl_signal_compatibility_id',
];
const PACKETS =
  'packet=stream_index,pts_time,dts_time,duration_time,flags:packet_side_data=discard_padding,side_data_type';

const MAX_ALLOCATION_BYTES = 2 ** 28;

const decode = (json: string) => {
  try {
    return Probed.decode(JSON.parse(json));
  } catch {
    return null;
  }
};

/** `from_s`: all packets from this time on. `decoded_for_s`: the packet where decoding begins for each time. */
type Packets = { readonly from_s: number } | { readonly track: number; readonly decoded_for_s: readonly number[] };

const packetOptions = (packets: Packets): readonly string[] => {
  if ('decoded_for_s' in packets) {
    const intervals = packets.decoded_for_s.map((at_s) => `${at_s.toFixed(3)}%+#1`);
    return ['-select_streams', String(packets.track), '-read_intervals', intervals.join(',')];
  }
  return packets.from_s > 0 ? ['-read_intervals', `${packets.from_s.toFixed(3)}%`] : [];
};

const read = async (
  path: string,
  packets: Packets | null,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ProbedFile | null>> => {
  const { onLine, rest, endOf, ...counted } = countPackets();
  const entries = [...STREAMS, ...(packets === null ? [] : [PACKETS])].join(':');
  const args = [
    '-v',
    'error',
    '-max_alloc',
    String(MAX_ALLOCATION_BYTES),
    '-of',
    'json=c=1',
    '-show_entries',
    entries,
    ...(packets === null ? [] : packetOptions(packets)),
    ...LOCAL_FILE_OPTIONS,
    '-i',
    absolutePath(path),
  ];
  const reads = [absolutePath(path)];
  const run = await runProcess({ program: ffprobe_path, args, reads, bounds: PROBING_BOUNDS, on_line: onLine }, limits);
  if (E.isLeft(run)) return run;
  if (run.right.exit_code !== 0) return E.right(null);
  // The rest of the output is the last line, which has no line break.
  onLine(run.right.stdout);
  const probed = decode(rest());
  if (probed === null || E.isLeft(probed))
    return E.left(infrastructureFault(`${ffprobe_path} printed an unexpected result`));
  const file = probed.right;
  const realEndOf = (index: number): number | null => {
    const stream = file.streams.find((one) => one.index === index);
    const end = endOf(index);
    if (stream === undefined || end === null) return null;
    return (
      resolveStreamEnd(end, timeBaseSeconds(stream), isMp4(file) ? headerEnd(stream) : null) -
      paddingOf(file, stream, end)
    );
  };
  return E.right({ ...file, endOf: realEndOf, ...counted });
};

/** Seconds at the end that a decoder drops. In Ogg, the last packet's duration excludes them already. */
const paddingOf = (
  { format }: Pick<ProbedFile, 'format'>,
  { sample_rate }: ProbedStream,
  { padding_samples }: Pick<PacketEnd, 'padding_samples'>,
): number => (format.format_name === 'ogg' ? 0 : padding_samples / Number(sample_rate ?? Number.POSITIVE_INFINITY));

/**
 * Only larger files are first probed for their header and then for their tail. One read of a smaller file is faster.
 */
const LARGE_BYTES = 4 * 1024 ** 2;
/** Seconds at the end of a large MP4 that are read; its header lists every frame. */
const TAIL_S = 20;
/** Times of a large MP4 for which key frames are looked up: one per second for the first minutes of a file. */
const MAX_TIMES = 256;
/** Time limit for all these look-ups together. They usually take 0.1 s. */
const KEY_FRAMES_MS = 3_000;

/** Empty if the search takes too long: the render is then planned without key frames. */
const sampleKeyFrames = async (
  path: string,
  track: number | undefined,
  duration_s: number,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<ProbedFile['keyFramesOf']> => {
  const none = () => [];
  if (track === undefined) return none;
  const count = Math.min(MAX_TIMES, Math.ceil(duration_s));
  const decoded_for_s = Array.from({ length: count }, (_, n) => ((n + 1) * duration_s) / count);
  const lookup_limits = { ...limits, budget_ms: Math.min(KEY_FRAMES_MS, limits.budget_ms) };
  const found = await read(path, { track, decoded_for_s }, ffprobe_path, lookup_limits);
  return E.isRight(found) && found.right !== null ? found.right.keyFramesOf : none;
};

const probeLarge = async (
  path: string,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ProbedFile | null>> => {
  const head = await read(path, null, ffprobe_path, limits);
  if (E.isLeft(head) || head.right === null) return head;
  const header_ends_s = head.right.streams.map(headerEnd);
  const from = Math.max(0, ...header_ends_s.map((end_s) => end_s ?? 0)) - TAIL_S;
  if (!isMp4(head.right) || header_ends_s.includes(null) || from <= 0)
    return await read(path, { from_s: 0 }, ffprobe_path, limits);
  const [tail, keyFramesOf] = await Promise.all([
    read(path, { from_s: from }, ffprobe_path, limits),
    sampleKeyFrames(path, chooseTrack(head.right, 'video')?.index, from + TAIL_S, ffprobe_path, limits),
  ]);
  if (E.isLeft(tail) || tail.right === null) return tail;
  const { endOf } = tail.right;
  // A stream that ends before the tail has no packets there, so the header's end counts.
  const headerEndOf = (index: number): number | null => {
    const end_s = header_ends_s[index] ?? null;
    return end_s !== null && end_s < from ? end_s : null;
  };
  return E.right({
    ...tail.right,
    endOf: (index) => endOf(index) ?? headerEndOf(index),
    keyFramesOf,
  });
};

/** Does not decode the file. Reads only its end if the header is reliable. Null: the file cannot be read. */
export const probeFile = async (
  path: string,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ProbedFile | null>> =>
  (await stat(path)).size > LARGE_BYTES
    ? await probeLarge(path, ffprobe_path, limits)
    : await read(path, { from_s: 0 }, ffprobe_path, limits);
