import type { AudioClip, SoundFade } from '../../engine/scene/sound-step.ts';

export const RATE = 48_000;

export const NO_FADE: SoundFade = { samples: 0, curve: 'equal_gain' };

const NOT_CUT = { before: false, after: false };

export const soundStep = (step: Partial<AudioClip>): AudioClip => ({
  ...{
    asset: 'tone',
    track: 0,
    starts_at_sample: 0,
    samples: RATE,
    file_starts_s: 0,
    trim_start_s: 0,
    part_s: null,
    downmix: null,
  },
  ...{ speed: 1, loop_samples: null, is_cut: NOT_CUT, volume: 1, fade_in: NO_FADE, fade_out: NO_FADE },
  ...step,
});
