import { element, float, lyingElement, UNKNOWN_SIZE, uint } from './ebml.ts';
import { join, type Part, u8, u16 } from './numbers.ts';

export const ID = {
  ...{ Segment: 0x18538067, Info: 0x1549a966, Tracks: 0x1654ae6b, Cluster: 0x1f43b675, Cues: 0x1c53bb6b },
  ...{ Chapters: 0x1043a770, Tags: 0x1254c367, Attachments: 0x1941a469, SeekHead: 0x114d9b74, Void: 0xec },
  ...{ TrackEntry: 0xae, SimpleBlock: 0xa3, BlockGroup: 0xa0, Block: 0xa1, Timestamp: 0xe7, Duration: 0x4489 },
} as const;

export const documentHead = (type = 'webm'): Buffer =>
  element(
    0x1a45dfa3,
    ...[element(0x4286, uint(1)), element(0x42f7, uint(1)), element(0x42f2, uint(4)), element(0x42f3, uint(8))],
    ...[element(0x4282, type), element(0x4287, uint(4)), element(0x4285, uint(2))],
  );

/** `scale` is the nanoseconds per unit of time. */
export const info = (scale = 1_000_000, duration = 1000): Buffer =>
  element(
    ID.Info,
    element(0x2ad7b1, uint(scale)),
    element(ID.Duration, float(duration)),
    element(0x4d80, 'a'),
    element(0x5741, 'a'),
  );

/** Raw 16-bit mono sound. */
export const soundTrack = (number: number, ...more: readonly Part[]): Buffer =>
  element(
    ID.TrackEntry,
    element(0xd7, uint(number)),
    element(0x73c5, uint(number)),
    element(0x83, uint(2)),
    element(0x86, 'A_PCM/INT/LIT'),
    element(0xe1, element(0xb5, float(8000)), element(0x9f, uint(1)), element(0x6264, uint(16))),
    ...more,
  );

export const pictureTrack = (
  number: number,
  codec: string,
  width: number,
  height: number,
  ...more: readonly Part[]
): Buffer =>
  element(
    ID.TrackEntry,
    element(0xd7, uint(number)),
    element(0x73c5, uint(number)),
    element(0x83, uint(1)),
    element(0x86, codec),
    element(0xe0, element(0xb0, uint(width)), element(0xba, uint(height))),
    ...more,
  );

/** Flags: 0x80 key frame, 0x02 Xiph lacing, 0x04 fixed-size lacing, 0x06 EBML lacing. */
export const block = (track: number, time: number, data: Part, flags = 0x80): Buffer =>
  element(ID.SimpleBlock, u8(0x80 | track), u16(time), u8(flags), data);

export const cluster = (time: number, ...blocks: readonly Part[]): Buffer =>
  element(ID.Cluster, element(ID.Timestamp, uint(time)), ...blocks);

export const segment = (...parts: readonly Part[]): Buffer => element(ID.Segment, ...parts);

export const matroska = (...parts: readonly Part[]): Buffer => join(documentHead('matroska'), segment(...parts));

export const endless = (...parts: readonly Part[]): Buffer =>
  join(documentHead(), lyingElement(ID.Segment, UNKNOWN_SIZE, ...parts));
