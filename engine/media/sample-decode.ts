import * as E from 'fp-ts/lib/Either.js';
import type { AssetKind } from '../../domain/composition/assets.ts';
import { secondsText } from '../../domain/composition/source-end-rules.ts';
import { compositionFault, type EngineFault, refusedAfterCrash } from '../process/engine-fault.ts';
import { SOUND_DECODER_OPTIONS, videoDecoderOptions } from '../process/ffmpeg-arguments.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import { findUndecodablePart, type SourcePart } from './decode-alone.ts';
import type { MediaProperties } from './media-properties.ts';
import { sourceSoundOf } from './source-sound.ts';
import { CONVERSION_TARGETS } from './unreadable-file.ts';

type Media = { readonly id: string; readonly kind: AssetKind; readonly path: string };
type Sample = Pick<SourcePart, 'from_s' | 'until_s'>;

const SAMPLE_S = 1;
/** Seconds decoded of a file without an index, whose frames are found only by reading from its start. */
const UNINDEXED_S = 60;
const SAMPLE_MS = 10_000;
const FILE_MS = 40_000;

/** The first, a middle and the last second; the whole of a short stream. */
const samplesOf = (duration_s: number, seekable: boolean): readonly Sample[] => {
  if (duration_s <= 3 * SAMPLE_S) return [{ from_s: 0, until_s: null }];
  if (!seekable) return [{ from_s: 0, until_s: UNINDEXED_S }];
  const middle_s = duration_s / 2;
  return [
    { from_s: 0, until_s: SAMPLE_S },
    { from_s: middle_s, until_s: middle_s + SAMPLE_S },
    { from_s: duration_s - SAMPLE_S, until_s: null },
  ];
};

const partsOf = ({ id, path }: Media, properties: MediaProperties): readonly SourcePart[] => {
  if (properties.kind !== 'video' && properties.kind !== 'audio') return [];
  const source = { asset: id, path };
  const heard = sourceSoundOf(properties);
  const soundParts = (duration_s: number, seekable: boolean): readonly SourcePart[] =>
    heard === null
      ? []
      : samplesOf(duration_s, seekable).map((sample) => ({
          ...{ ...source, ...heard, ...sample, stream: 'audio', decoder: SOUND_DECODER_OPTIONS },
        }));
  if (properties.kind === 'audio') return soundParts(properties.duration_s, !properties.chained);
  const { alpha_decoder, duration_s, starts_s, seekable, sound_duration_s, track } = properties;
  const seen = { track, file_starts_s: starts_s, decoder: videoDecoderOptions(alpha_decoder) };
  return [
    ...samplesOf(duration_s, seekable).map(
      (sample): SourcePart => ({ ...source, ...seen, ...sample, stream: 'video' }),
    ),
    ...soundParts(sound_duration_s, seekable),
  ];
};

/** Left: a sample cannot be decoded, or an infrastructure fault. A sample that takes too long is skipped. */
export const sampleDecode = async (
  media: Media,
  properties: MediaProperties,
  ffmpeg_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, void>> => {
  const { id, kind } = media;
  const [name, field] = [`the ${kind} "${id}"`, `assets.${id}`];
  const found = await findUndecodablePart(partsOf(media, properties), {
    ...{ wants: 'all', one_ms: SAMPLE_MS, all_ms: FILE_MS, ffmpeg_path, limits },
  });
  if (E.isLeft(found)) return found;
  if (found.right === null) return E.right(undefined);
  const { part, decoded } = found.right;
  if (decoded === 'crashed') return E.left(refusedAfterCrash({ tag: 'decoder_died', message: '' }, name, field));
  const stream = kind === 'video' && part.stream === 'audio' ? 'has audio that ' : '';
  const what = `${stream}cannot be decoded after ${secondsText(part.from_s)}: it is damaged`;
  const remedy = `export the file again, or convert it to ${kind === 'audio' ? CONVERSION_TARGETS.audio : CONVERSION_TARGETS.video}`;
  return E.left(compositionFault('unreadable_media', `${name} ${what}; ${remedy}`, field));
};
