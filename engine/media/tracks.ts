import { isMp4, type ProbedFile, type ProbedStream } from './probed-file.ts';

/** A stream with a decoder has a pixel or sample format. */
export const isDecodable = ({ codec_type, width = 0, height = 0, pix_fmt, sample_fmt }: ProbedStream): boolean =>
  codec_type === 'audio' ? sample_fmt !== undefined : width > 0 && height > 0 && pix_fmt !== undefined;

const isDefault = ({ disposition }: ProbedStream): boolean => disposition?.default === 1;
const isAttached = ({ disposition }: ProbedStream): boolean => disposition?.attached_pic === 1;

/** MP4 files mark each track as enabled or not; if none is enabled, all are (ISO/IEC 14496-12, 8.3.2.3). */
const enabledTracks = (file: ProbedFile): readonly ProbedStream[] => {
  const enabled = isMp4(file) ? file.streams.filter(isDefault) : [];
  return enabled.length === 0 ? file.streams : enabled;
};

/** Players choose in the same way: the first default track with frames and a decoder, else the first such track. */
export const chooseTrack = (file: ProbedFile, kind: 'video' | 'audio'): ProbedStream | undefined => {
  const rank = (stream: ProbedStream): number =>
    (file.endOf(stream.index) === null ? 0 : 4) + (isDecodable(stream) ? 2 : 0) + (isDefault(stream) ? 1 : 0);
  const tracks = enabledTracks(file).filter((stream) => stream.codec_type === kind && !isAttached(stream));
  return tracks.reduce<ProbedStream | undefined>(
    (best, track) => (best === undefined || rank(track) > rank(best) ? track : best),
    undefined,
  );
};
