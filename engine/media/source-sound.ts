import type { Downmix } from './downmix.ts';
import type { MediaProperties } from './media-properties.ts';

/** Which track of a file is heard, and how. `file_starts_s`: the file's own time of its first moment, in seconds. */
export type SourceSound = {
  readonly track: number;
  readonly file_starts_s: number;
  readonly downmix: Downmix /** Its clock begins again in mid-file. */;
  readonly chained?: true;
};

/** The sound of a video or a sound; null where it has none. */
export const soundOf = (properties: MediaProperties): SourceSound | null => {
  if (properties.kind === 'audio') {
    const { track, starts_s, downmix, chained } = properties;
    return { track, file_starts_s: starts_s, downmix, ...(chained ? { chained } : {}) };
  }
  if (properties.kind !== 'video' || properties.sound_track === null) return null;
  const { sound_track, sound_starts_s, downmix } = properties;
  return { track: sound_track, file_starts_s: sound_starts_s, downmix };
};
