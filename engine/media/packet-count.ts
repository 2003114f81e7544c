import type { PacketsEnd } from './stream-end.ts';

const PACKET = /"stream_index": (\d+)/;
const time = (line: string, name: string): number | null => {
  const found = new RegExp(`"${name}": "(-?[0-9.]+)"`).exec(line);
  return found === null ? null : Number(found[1]);
};
/** Samples at a packet's end that are no sound: encoders fill their last packet up. */
const PADDING = /"discard_padding": (\d+)/;
/** A line of side data, which follows its packet. */
const ENCRYPTED = '"side_data_type": "Encryption info"';
/** Packets that are decoded but not shown: before the start of an edit list, after its end. */
const isDiscarded = (line: string): boolean => /"flags": "[^"]*D/.test(line);
const isKeyFrame = (line: string): boolean => /"flags": "[^"]*K/.test(line);

/** The largest output beside the packets; that of valid files is a hundredth of it. */
const MOST_KEPT = 4 * 2 ** 20;
/** Packets of so many streams are counted: more than any file may have. */
const MOST_STREAMS = 1000;

/** Key frames closer to the one before are left out, and those after so many: decoding begins with an earlier one as well. */
const KEY_FRAMES = { least_s: 0.5, most: 2_000 } as const;

/** Seconds by which a clock goes back where it begins again; rounding and codecs' delays are less. */
const BACK_S = 0.1;

/** Of one stream. Packets come in the order in which they are decoded: a later one may begin earlier. */
type Counted = {
  /** The latest end of a packet. */
  end_s: number;
  /** The latest beginning of a packet, and the latest one before that. */
  last_s: number;
  before_last_s: number;
  /** As the packet says that begins last. */
  last_duration_s: number | null;
  padding_samples: number;
  /** The latest time of decoding since the clock began. */
  decoded_s: number;
  /** The end of all packets if the clock went on where it begins again, and how much later packets then are. */
  chained_end_s: number;
  shift_s: number;
  readonly key_frames_s: number[];
};

/**
 * Reads ffprobe's JSON (`json=c=1`) line by line: packets are counted and dropped, the rest is kept. A file of hours
 * has hundreds of thousands of them.
 */
export const countPackets = () => {
  const ends = new Map<number, Counted>();
  const kept: string[] = [];
  let kept_length = 0;
  let in_packets = false;
  const encrypted = new Set<number>();
  /** The stream of the packet that side data follows. */
  let latest = -1;
  /** The same, where that packet begins last. */
  let padded: Counted | null = null;

  const count = (line: string): void => {
    const index = PACKET.exec(line)?.[1];
    const at_s = time(line, 'pts_time') ?? time(line, 'dts_time');
    if (index === undefined && padded !== null)
      padded.padding_samples = Number(PADDING.exec(line)?.[1] ?? padded.padding_samples);
    if (index === undefined && line.includes(ENCRYPTED)) encrypted.add(latest);
    if (index !== undefined) {
      padded = null;
      latest = Number(index);
    }
    if (index === undefined || at_s === null || isDiscarded(line)) return;
    if (ends.size >= MOST_STREAMS && !ends.has(Number(index))) return;
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
    // Packets without it say nothing: pictures are in the order of their decoding.
    const decoded_s = time(line, 'dts_time') ?? stream.decoded_s;
    const begins_again = decoded_s < stream.decoded_s - BACK_S;
    if (begins_again) stream.shift_s = stream.chained_end_s - at_s;
    stream.decoded_s = begins_again ? decoded_s : Math.max(stream.decoded_s, decoded_s);
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
      padded = stream;
    }
    const { key_frames_s } = stream;
    const after_s = at_s - (key_frames_s.at(-1) ?? Number.NEGATIVE_INFINITY);
    if (isKeyFrame(line) && after_s >= KEY_FRAMES.least_s && key_frames_s.length < KEY_FRAMES.most)
      key_frames_s.push(at_s);
  };

  const endOf = (index: number): PacketsEnd | null => {
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
      else if (kept_length <= MOST_KEPT) {
        kept_length += line.length + 1;
        kept.push(line);
      }
    },
    /** The output beside the packets, as JSON. */
    rest: (): string => kept.join('\n'),
    /** Null for a stream without a packet. */
    endOf,
    /** Where a stream ends whose clock begins again, if it went on; null for one whose clock does not. */
    chainedEndOf: (index: number): number | null => {
      const { shift_s = 0, chained_end_s = 0 } = ends.get(index) ?? {};
      return shift_s === 0 ? null : chained_end_s;
    },
    isEncrypted: (index: number): boolean => encrypted.has(index),
    /** Some of the key frames of a stream in order, in seconds of the file's own clock. */
    keyFramesOf: (index: number): readonly number[] => ends.get(index)?.key_frames_s ?? [],
  };
};
