import { type FileHandle, open } from 'node:fs/promises';

/** Times are in units of `timescale` per second. */
export type Mp4VideoTrack = {
  /** Sample entry: the codec's four characters. */
  readonly tag: string;
  readonly width: number;
  readonly height: number;
  readonly timescale: number;
  /** Presentation times in ascending order. The edit list has been applied. */
  readonly times: readonly number[];
};

/** `samples` excludes the encoder's priming. */
export type Mp4AudioTrack = { readonly tag: string; readonly timescale: number; readonly samples: number };

export type Mp4Tracks = { readonly video: Mp4VideoTrack; readonly sound: Mp4AudioTrack | null };

/** Maximum size of `moov`. The tables of an hour at 120 frames per second are smaller. */
const MAX_TABLES_BYTES = 64 * 1024 * 1024;
/** Limit for count fields, which may contain any number. A `moov` of the maximum size cannot list more frames. */
const MAX_ENTRIES = 2 ** 22;
/** Maximum number of boxes in one container box. This engine's outputs have a dozen. */
const MAX_BOXES = 1000;

type Box = { readonly type: string; readonly body: Buffer };

const boxesOf = (bytes: Buffer): readonly Box[] => {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length && boxes.length < MAX_BOXES; ) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) return boxes;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
};

const within = (bytes: Buffer, ...path: readonly string[]): Buffer =>
  path.reduce((body, name) => boxesOf(body).find(({ type }) => type === name)?.body ?? Buffer.alloc(0), bytes);

/** Body of `moov`, which may be the first or the last box; null if it is missing, truncated or too large. */
const tablesOf = async (file: FileHandle): Promise<Buffer | null> => {
  const { size: end } = await file.stat();
  const head = Buffer.alloc(16);
  for (let [at, boxes] = [0, 0]; at + 8 <= end && boxes < MAX_BOXES; boxes += 1) {
    await file.read(head, 0, 16, at);
    const short = head.readUInt32BE(0);
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
    if (size < 8 || at + size > end) return null;
    if (head.toString('latin1', 4, 8) === 'moov') {
      if (size > MAX_TABLES_BYTES) return null;
      const body = Buffer.alloc(size - 8);
      await file.read(body, 0, body.length, at + 8);
      return body;
    }
    at += size;
  }
  return null;
};

const expandRuns = (table: Buffer, max: number): readonly number[] => {
  const values: number[] = [];
  for (let at = 8; at + 8 <= table.length && values.length < max; at += 8) {
    const count = Math.min(table.readUInt32BE(at), max - values.length);
    const value = table.readInt32BE(at + 4);
    for (let n = 0; n < count; n += 1) values.push(value);
  }
  return values;
};

/** Media time at which the single edit of the edit list begins. */
const editStart = (edits: Buffer): number => {
  const wide = edits[0] === 1;
  if (edits.length < (wide ? 28 : 20) || edits.readUInt32BE(4) !== 1) return 0;
  return wide ? Number(edits.readBigInt64BE(16)) : edits.readInt32BE(12);
};

const tableOf = (track: Buffer, name: string): Buffer => within(track, 'mdia', 'minf', 'stbl', name);
const tagOf = (track: Buffer): string => tableOf(track, 'stsd').toString('latin1', 12, 16);
const timescaleOf = (track: Buffer): number => {
  const clock = within(track, 'mdia', 'mdhd');
  return clock.length < 24 ? 0 : clock.readUInt32BE(clock[0] === 1 ? 20 : 12);
};
const editOf = (track: Buffer): number => editStart(within(track, 'edts', 'elst'));
const stepsOf = (track: Buffer): readonly number[] => {
  const sizes = tableOf(track, 'stsz');
  return expandRuns(tableOf(track, 'stts'), sizes.length < 12 ? 0 : Math.min(MAX_ENTRIES, sizes.readUInt32BE(8)));
};

const videoTrackOf = (track: Buffer): Mp4VideoTrack => {
  const format = tableOf(track, 'stsd').subarray(16);
  const steps = stepsOf(track);
  const delays = expandRuns(tableOf(track, 'ctts'), steps.length);
  const edit_start = editOf(track);
  let decoded = 0;
  const times = steps.map((step, index) => {
    const shown = decoded + (delays[index] ?? 0) - edit_start;
    decoded += step;
    return shown;
  });
  return {
    tag: tagOf(track),
    width: format.length < 28 ? 0 : format.readUInt16BE(24),
    height: format.length < 28 ? 0 : format.readUInt16BE(26),
    timescale: timescaleOf(track),
    times: times.sort((a, b) => a - b),
  };
};

const soundOf = (track: Buffer): Mp4AudioTrack => ({
  tag: tagOf(track),
  timescale: timescaleOf(track),
  samples: stepsOf(track).reduce((sum, step) => sum + step, 0) - editOf(track),
});

type Tracks = { readonly video: Mp4VideoTrack | null; readonly sound: Mp4AudioTrack | null };

const readTracks = async (path: string): Promise<Tracks> => {
  const file = await open(path).catch(() => null);
  if (file === null) return { video: null, sound: null };
  try {
    const tables = await tablesOf(file);
    const tracks = tables === null ? [] : boxesOf(tables).filter(({ type }) => type === 'trak');
    const trackOf = (kind: string): Buffer | undefined =>
      tracks.find(({ body }) => within(body, 'mdia', 'hdlr').toString('latin1', 8, 12) === kind)?.body;
    const [video, sound] = [trackOf('vide'), trackOf('soun')];
    return {
      video: video === undefined ? null : videoTrackOf(video),
      sound: sound === undefined ? null : soundOf(sound),
    };
  } finally {
    await file.close();
  }
};

/** Null if the file has no video track or is truncated. Fast, because it reads only the tables. */
export const readMp4 = async (path: string): Promise<Mp4Tracks | null> => {
  const { video, sound } = await readTracks(path);
  return video === null ? null : { video, sound };
};

export const readMp4Sound = async (path: string): Promise<Mp4AudioTrack | null> => (await readTracks(path)).sound;
