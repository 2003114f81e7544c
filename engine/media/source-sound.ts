import type { Downmix } from './downmix.ts';
import type { MediaProperties } from './media-properties.ts';

/** The audio track that is used, and how. `file_starts_s`: timestamp of the file's start, in seconds. */
export type SourceSound = {
  readonly track: number;
  readonly file_starts_s: number;
  readonly downmix: Downmix;
  /** Its timestamps restart within the file. */
  readonly chained?: true;
};

/** The audio of a video or audio asset; null if it has none. */
export const soundOf = (properties: MediaProperties): SourceSound | null => {
  if (properties.kind === 'audio') {
    const { track, starts_s, downmix, chained } = properties;
    return { track, file_starts_s: starts_s, downmix, ...(chained ? { chained } : {}) };
  }
  if (properties.kind !== 'video' || properties.sound_track === null) return null;
  const { sound_track, sound_starts_s, downmix } = properties;
  return { track: sound_track, file_starts_s: sound_starts_s, downmix };
};
