import type { PacketEnd } from './stream-end.ts';

const PACKET = /"stream_index": (\d+)/;
const time = (line: string, name: string): number | null => {
  const found = new RegExp(`"${name}": "(-?[0-9.]+)"`).exec(line);
  return found === null ? null : Number(found[1]);
};
/** Encoders fill up their last packet with padding samples. */
const PADDING = /"discard_padding": (\d+)/;
const ENCRYPTED = '"side_data_type": "Encryption info"';
/** Packets that are decoded but not shown: before the start of an edit list, or after its end. */
const isDiscarded = (line: string): boolean => /"flags": "[^"]*D/.test(line);
const isKeyFrame = (line: string): boolean => /"flags": "[^"]*K/.test(line);

/** Maximum size of the output without its packets. Valid files need a hundredth of it. */
const MAX_KEPT = 4 * 2 ** 20;
/** Packets of further streams are not counted. A usable source file has fewer streams (`SOURCE_LIMITS`). */
const MAX_STREAMS = 1000;

/** Further key frames, and those too close to another, are skipped: decoding can also begin at an earlier one. */
const KEY_FRAMES = { min_distance_s: 0.5, max: 2_000 } as const;

/** Timestamps that go back by more seconds than this count as a restart. Rounding and codec delays are smaller. */
const RESTART_S = 0.1;

/** Packets come in decoding order: a later packet may have an earlier timestamp. */
type StreamCount = {
  end_s: number;
  /** The latest start of a packet, and the second latest. */
  last_s: number;
  before_last_s: number;
  last_duration_s: number | null;
  padding_samples: number;
  /** The latest decoding timestamp since the last restart. */
  decoded_s: number;
  /**
   * Computed as if timestamps continued after each restart: the end of all packets, and the time added to each
   * timestamp.
   */
  chained_end_s: number;
  shift_s: number;
  readonly key_frames_s: number[];
};

/** Drops the packets' lines of ffprobe's JSON (`json=c=1`): a file of some hours has hundreds of thousands. */
export const countPackets = () => {
  const ends = new Map<number, StreamCount>();
  const rest_lines: string[] = [];
  let rest_length = 0;
  let in_packets = false;
  const encrypted = new Set<number>();
  /** The stream of the packet that the side data describes. */
  let current = -1;
  /**
   * The stream of the current packet if this packet starts last in it: only the last packet's padding counts. Otherwise
   * null.
   */
  let padded_stream: StreamCount | null = null;

  const count = (line: string): void => {
    const index = PACKET.exec(line)?.[1];
    const at_s = time(line, 'pts_time') ?? time(line, 'dts_time');
    if (index === undefined && padded_stream !== null)
      padded_stream.padding_samples = Number(PADDING.exec(line)?.[1] ?? padded_stream.padding_samples);
    if (index === undefined && line.includes(ENCRYPTED)) encrypted.add(current);
    if (index !== undefined) {
      padded_stream = null;
      current = Number(index);
    }
    if (index === undefined || at_s === null || isDiscarded(line)) return;
    if (ends.size >= MAX_STREAMS && !ends.has(Number(index))) return;
    const duration_s = time(line, 'duration_time');
    const first = {
      ...{
        end_s: 0,
        last_s: at_s,
        before_last_s: at_s,
        last_duration_s: duration_s,
        padding_samples: 0,
        decoded_s: Number.NEGATIVE_INFINITY,
        chained_end_s: 0,
        shift_s: 0,
        key_frames_s: [],
      },
    };
    const stream = ends.get(Number(index)) ?? first;
    ends.set(Number(index), stream);
    // Packets come in decoding order, so one without a decoding timestamp cannot show a restart.
    const decoded_s = time(line, 'dts_time') ?? stream.decoded_s;
    const restarts = decoded_s < stream.decoded_s - RESTART_S;
    if (restarts) stream.shift_s = stream.chained_end_s - at_s;
    stream.decoded_s = restarts ? decoded_s : Math.max(stream.decoded_s, decoded_s);
    stream.chained_end_s = Math.max(stream.chained_end_s, at_s + stream.shift_s + (duration_s ?? 0));
    stream.end_s = Math.max(stream.end_s, at_s + (duration_s ?? 0));
    if (at_s > stream.last_s) {
      stream.before_last_s = stream.last_s;
      stream.last_s = at_s;
      stream.last_duration_s = duration_s;
    } else if (at_s < stream.last_s && (at_s > stream.before_last_s || stream.before_last_s === stream.last_s))
      stream.before_last_s = at_s;
    if (at_s >= stream.last_s) {
      stream.padding_samples = 0;
      padded_stream = stream;
    }
    const { key_frames_s } = stream;
    const after_s = at_s - (key_frames_s.at(-1) ?? Number.NEGATIVE_INFINITY);
    if (isKeyFrame(line) && after_s >= KEY_FRAMES.min_distance_s && key_frames_s.length < KEY_FRAMES.max)
      key_frames_s.push(at_s);
  };

  const endOf = (index: number): PacketEnd | null => {
    const stream = ends.get(index);
    if (stream === undefined) return null;
    const { end_s, last_s, before_last_s, last_duration_s, padding_samples } = stream;
    return { end_s, last_s, step_s: last_s - before_last_s, last_duration_s, padding_samples };
  };

  return {
    onLine: (line: string): void => {
      if (line === '    "packets": [') in_packets = true;
      else if (in_packets && /^ {4}\],?$/.test(line)) in_packets = false;
      else if (in_packets) count(line);
      else if (rest_length <= MAX_KEPT) {
        rest_length += line.length + 1;
        rest_lines.push(line);
      }
    },
    rest: (): string => rest_lines.join('\n'),
    endOf,
    /** The end of a stream with restarting timestamps, if they continued; null for other streams. */
    chainedEndOf: (index: number): number | null => {
      const { shift_s = 0, chained_end_s = 0 } = ends.get(index) ?? {};
      return shift_s === 0 ? null : chained_end_s;
    },
    isEncrypted: (index: number): boolean => encrypted.has(index),
    keyFramesOf: (index: number): readonly number[] => ends.get(index)?.key_frames_s ?? [],
  };
};
