import { visibleFrames } from '../../domain/composition/extents.ts';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { fieldOf } from '../../domain/composition/layer-groups.ts';
import type { PlannedComposition } from '../../engine/plan-composition.ts';
import type { ComposedWithFiles } from './composed.ts';

type Frames = { readonly from: number; readonly until: number };

/** Frames [from, until) of the composition, with the seconds at which they begin and end. */
const spanOf = ({ from, until }: Frames, fps: FinalComposition['composition']['fps']) => ({
  from,
  until,
  starts_s: (from * fps.den) / fps.num,
  ends_s: (until * fps.den) / fps.num,
});

/** Ids of the visible layers, from the lowest to the highest. Layers in a scene use the scene's times. */
const layersIn = ({ from, until }: Frames, { composition }: FinalComposition, { plan }: PlannedComposition) =>
  composition.layers.flatMap((layer, index) => {
    if (layer.type === 'audio' || !layer.visible) return [];
    const steps = plan.scene.videoTrack.filter(({ field }) => field === fieldOf(layer, index));
    const spans: readonly Frames[] = steps.length > 0 ? steps : [visibleFrames(layer, composition)];
    return spans.some((span) => span.from < until && from < span.until) ? [layer.id] : [];
  });

/** Which frames a render would encode and which are cached. Spans are [from, until) in frames. */
export const planAnswer = ({ project, final, times }: ComposedWithFiles, planned: PlannedComposition) => {
  const { plan, cached } = planned;
  const { fps } = final.composition;
  const { frames } = plan.scene;
  const variants = plan.scene.outputs.map(({ name, width, height, codec }) => ({
    ...{ name, width, height, codec },
    frames_to_encode: plan.segments
      .filter(({ keys }) => !cached.has(keys[name] ?? ''))
      .reduce((sum, { from, until }) => sum + until - from, 0),
  }));
  return {
    project: { id: project.id, name: project.name, version: project.version },
    composition: final.composition.id,
    frames,
    fps,
    variants,
    layers: times,
    segments: plan.segments.map((segment) => ({
      number: segment.index,
      ...spanOf(segment, fps),
      layers: layersIn(segment, final, planned),
      cached: Object.fromEntries(variants.map(({ name }) => [name, cached.has(segment.keys[name] ?? '')])),
    })),
    sound: { cached: cached.has(plan.sound_key) },
    runs: plan.runs.map((run) => ({
      ...spanOf(run, fps),
      variants: run.outputs.map(({ name }) => name),
      segments: run.segments.length,
    })),
    totals: {
      frames: frames * variants.length,
      frames_to_encode: variants.reduce((sum, variant) => sum + variant.frames_to_encode, 0),
    },
  };
};
export type PlanAnswer = ReturnType<typeof planAnswer>;
