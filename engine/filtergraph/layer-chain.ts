import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { Region, Size } from '../raster/geometry.ts';
import type { Step } from '../scene/scene.ts';
import type { LayerPixelFormat } from './chroma.ts';
import { fadeFilters, opacityGraph } from './opacity.ts';
import { layerPlacement } from './placement.ts';

/** `end` is the graph's output label. `overlay` has the options of the `overlay` filter that places the layer. */
export type LayerChain = { readonly graph: readonly string[]; readonly end: string; readonly overlay: string };

export type VisibleLayer = {
  readonly step: Step;
  /** The step's frames that are visible in the run. `late` is the number of the run's frames before them. */
  readonly own: FrameSpan;
  readonly late: number;
  readonly fps: FrameRate;
  readonly frame: Size;
  readonly label: string;
};

/** Frames with the layer's own timestamps, in a region of the layer's own pixels. */
export type LayerFrames = {
  readonly graph: readonly string[];
  readonly chain: string;
  readonly region: Region;
  readonly form: LayerPixelFormat;
  readonly opaque: boolean;
};

export const layerChainOf = (
  { step, own, late, fps, frame, label }: VisibleLayer,
  { graph, chain, region, form, opaque }: LayerFrames,
): LayerChain => {
  const { width, height } = region;
  const opacity = opacityGraph(step, own, fps, { label, opaque, width, height });
  const place = layerPlacement(step, region, { own, late, fps, frame, form });
  const offset = late - own.from;
  const after = [
    ...fadeFilters(step, own, fps),
    ...place.filters,
    ...(offset === 0 ? [] : [`setpts=PTS${offset < 0 ? '' : '+'}${offset}`]),
  ];
  const overlay = `x=${place.x}:y=${place.y}:eval=${place.moves ? 'frame' : 'init'}`;
  const first = [chain, ...opacity.filters];
  if (opacity.graph.length === 0)
    return { graph: [...graph, `${[...first, ...after].join(',')}[${label}]`], end: label, overlay };
  const last = after.length === 0 ? [] : [`[${opacity.end}]${after.join(',')}[${label}laid]`];
  return {
    graph: [...graph, `${first.join(',')}[${label}]`, ...opacity.graph, ...last],
    end: after.length === 0 ? opacity.end : `${label}laid`,
    overlay,
  };
};
