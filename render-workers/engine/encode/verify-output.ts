import * as E from 'fp-ts/lib/Either.js';
import type { VideoCodec } from '../../../domain/composition/video-codecs.ts';
import { type EngineFault, surroundingsFault } from '../process/engine-fault.ts';
import { type Expected, picturesFault, soundFault } from './check-part.ts';
import { readMp4 } from './mp4.ts';

type ExpectedFilm = Expected & {
  readonly codec: VideoCodec;
  /** Of the sound, at 48 kHz. */
  readonly samples: number;
};

/** What players go by. */
const TAGS: { readonly [C in VideoCodec]: string } = { h264: 'avc1', h265: 'hvc1', vp9: 'vp09', av1: 'av01' };

/** Is the film what was promised: codec, size, number and time of frames, sound? A full disk shows here. */
export const verifyOutput = async (file: string, expected: ExpectedFilm): Promise<E.Either<EngineFault, void>> => {
  const wrong = (what: string) => E.left(surroundingsFault(`the film is not what it should be: ${what}`));
  const found = await readMp4(file);
  if (found === null) return wrong('it has no pictures');
  const { pictures, sound } = found;
  if (pictures.tag !== TAGS[expected.codec]) return wrong(`it is encoded as ${pictures.tag}`);
  const fault = picturesFault(pictures, expected) ?? soundFault(sound, expected.samples);
  return fault === null ? E.right(undefined) : wrong(fault);
};
