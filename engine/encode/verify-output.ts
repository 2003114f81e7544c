import * as E from 'fp-ts/lib/Either.js';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { VideoCodec } from '../../domain/composition/video-codecs.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { SAMPLE_RATE } from '../scene/sound-step.ts';
import { type Mp4AudioTrack, type Mp4VideoTrack, readMp4, readMp4Sound } from './mp4.ts';

export type ExpectedVideo = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly fps: FrameRate;
};

/** Null if the track has the right size and frames, each at a multiple of the frame duration. */
const videoTrackFault = (found: Mp4VideoTrack, { width, height, frames, fps }: ExpectedVideo): string | null => {
  if (found.times.length !== frames) return `it has ${found.times.length} frames instead of ${frames}`;
  if (found.width !== width || found.height !== height) return `its size is ${found.width}x${found.height}`;
  const step = (found.timescale * fps.den) / fps.num;
  const wrong_frame = found.times.findIndex((time, n) => time !== n * step);
  return wrong_frame === -1
    ? null
    : `its frame ${wrong_frame} is shown at ${found.times[wrong_frame]}/${found.timescale} s`;
};

/** Null if the part is valid. Reads the MP4's tables, because an ffprobe process would cost more than some parts. */
export const partFault = async (file: string, expected: ExpectedVideo): Promise<string | null> => {
  const found = await readMp4(file);
  return found === null ? 'it has no video' : videoTrackFault(found.video, expected);
};

const soundFault = (found: Mp4AudioTrack | null, samples: number): string | null => {
  if (found?.tag !== 'mp4a' || found.timescale !== SAMPLE_RATE) return 'it has no sound at 48 kHz';
  return found.samples === samples ? null : `its sound has ${found.samples} samples instead of ${samples}`;
};

/** Also rejects a truncated file, because it has no track. */
export const soundFileFault = async (file: string, samples: number): Promise<string | null> =>
  soundFault(await readMp4Sound(file), samples);

type ExpectedOutput = ExpectedVideo & {
  readonly codec: VideoCodec;
  readonly samples: number;
};

/** Sample entries that players expect. */
const TAGS: { readonly [C in VideoCodec]: string } = { h264: 'avc1', h265: 'hvc1', vp9: 'vp09', av1: 'av01' };

/** Detects the truncated output of a full disk, too. */
export const verifyOutput = async (file: string, expected: ExpectedOutput): Promise<E.Either<EngineFault, void>> => {
  const invalid = (what: string) => E.left(infrastructureFault(`the output is invalid: ${what}`));
  const found = await readMp4(file);
  if (found === null) return invalid('it has no video');
  const { video, sound } = found;
  if (video.tag !== TAGS[expected.codec]) return invalid(`it is encoded as ${video.tag}`);
  const fault = videoTrackFault(video, expected) ?? soundFault(sound, expected.samples);
  return fault === null ? E.right(undefined) : invalid(fault);
};
