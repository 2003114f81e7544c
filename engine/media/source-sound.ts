import type { Downmix } from './downmix.ts';
import type { MediaProperties } from './media-properties.ts';

/** `file_starts_s` is the timestamp of the file's start, in seconds. */
export type SourceSound = {
  readonly track: number;
  readonly file_starts_s: number;
  readonly downmix: Downmix;
  readonly chained?: true;
};

export const sourceSoundOf = (properties: MediaProperties): SourceSound | null => {
  if (properties.kind === 'audio') {
    const { track, starts_s, downmix, chained } = properties;
    return { track, file_starts_s: starts_s, downmix, ...(chained ? { chained } : {}) };
  }
  if (properties.kind !== 'video' || properties.sound_track === null) return null;
  const { sound_track, sound_starts_s, downmix } = properties;
  return { track: sound_track, file_starts_s: sound_starts_s, downmix };
};
