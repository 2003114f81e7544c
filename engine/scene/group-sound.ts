import { visibleFrames } from '../../domain/composition/extents.ts';
import type { Grouped } from '../../domain/composition/layer-groups.ts';
import { type GroupFades, type SoundFade, samplesIn } from './sound-step.ts';
import type { Composition } from './timing.ts';

/** The fades of the groups around a layer. Each group ends with the groups around it. */
export const groupFadesOf = (
  { start, groups = [] }: Grouped & { readonly start: number },
  composition: Composition,
): readonly GroupFades[] =>
  groups.flatMap((group, index) => {
    if (group.fade_in === 0 && group.fade_out === 0) return [];
    const { fps } = composition;
    const { until } = visibleFrames({ ...group, groups: groups.slice(0, index) }, composition);
    const begins = samplesIn(group.start);
    const samples = samplesIn((until * fps.den) / fps.num) - begins;
    const within = (time_s: number): SoundFade => ({
      samples: Math.min(samples, samplesIn(time_s)),
      curve: 'equal_gain',
    });
    const fades = { fade_in: within(group.fade_in), fade_out: within(group.fade_out) };
    return samples <= 0 ? [] : [{ offset_samples: samplesIn(start) - begins, samples, ...fades }];
  });
