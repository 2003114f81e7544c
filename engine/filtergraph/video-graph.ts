import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { SourceFrames } from '../cache/source-frames.ts';
import type { SourcePart } from '../media/decode-alone.ts';
import { ALLOWED_FORMATS, absolutePath, DECODER_THREADS, LOCAL_FILE_OPTIONS } from '../process/ffmpeg-arguments.ts';
import type { DrawnAnimation, DrawnRaster } from '../raster/raster-job.ts';
import { toLayerFrameSpan, visibleSteps } from '../scene/hiding.ts';
import type { Scene, Step } from '../scene/scene.ts';
import {
  cachedFramesInput,
  type SourceFrameOutput,
  sourceFrameBytes,
  sourceFrameKey,
  teeSourceFrames,
} from './kept-frames.ts';
import type { VisibleLayer } from './layer-chain.ts';
import { type ChainedLayer, compositeLayers } from './layering.ts';
import { WHOLE_FRAME_SCALE_FLAGS } from './placement.ts';
import { animationChain, animationInput, rasterChain, rasterInput } from './raster-chain.ts';
import { sourceFrameLayout, type VisibleVideo, videoChain, videoInput, videoSourcePart } from './video-chain.ts';

/** Frames [from, until) of the composition, encoded by one process. */
export type FrameRange = {
  readonly from: number;
  readonly until: number;
  readonly outputs: readonly Pick<FinalVariant, 'name' | 'width' | 'height'>[];
};

/** `drawn` and `assets` contain files by id. Rasters without a visible pixel are left out. */
export type GraphSources = {
  readonly drawn: ReadonlyMap<string, DrawnRaster | DrawnAnimation>;
  readonly assets: ReadonlyMap<string, string>;
  readonly folder: string;
  /** Cached decoded frames, by key. Missing frames are written if there is space. */
  readonly frames?: Pick<SourceFrames, 'file' | 'reserve'>;
};

export type VideoGraph = {
  /** ffmpeg's options up to the last input. Timestamps are the files' own: do not pass `-start_at_zero`. */
  readonly inputs: readonly string[];
  readonly graph: readonly string[];
  readonly lists: readonly { readonly path: string; readonly text: string }[];
  readonly parts: readonly SourcePart[];
  readonly frames: readonly SourceFrameOutput[];
};

type Layer = ChainedLayer & {
  readonly input: readonly string[];
  readonly list: string | null;
  readonly decoded?: SourcePart;
  readonly frame?: SourceFrameOutput;
};

const isAnimation = (drawn: DrawnRaster | DrawnAnimation): drawn is DrawnAnimation => 'frame_ms' in drawn;

const listPath = ({ folder }: GraphSources, { from }: FrameRange, index: number): string =>
  `${folder}/rounds-${from}-${index}.ffconcat`;

const videoLayer = (
  shown: VisibleVideo,
  input: number,
  run: FrameRange,
  files: GraphSources,
  { hashes }: Pick<Scene, 'hashes'>,
): Layer => {
  const { step } = shown;
  const { asset } = step.part;
  const path = files.assets.get(asset) ?? '';
  const opened = videoInput(shown, path);
  const pictures = sourceFrameLayout(shown, input === 0);
  const key = files.frames === undefined ? '' : sourceFrameKey(hashes[asset] ?? '', opened, pictures);
  const cached_file = files.frames?.file(key) ?? null;
  if (cached_file !== null) {
    const { options, ...begun } = cachedFramesInput(input, shown, pictures, cached_file);
    return { step, input: options, list: null, chain: videoChain(shown, pictures, begun) };
  }
  const { options, list } = opened;
  const file =
    list === null
      ? [...LOCAL_FILE_OPTIONS, '-i', absolutePath(path)]
      : [
          ...['-f', 'concat', '-protocol_whitelist', 'file', '-format_whitelist', `${ALLOWED_FORMATS},concat`],
          ...['-i', absolutePath(listPath(files, run, input))],
        ];
  const decoded = videoSourcePart(shown, path);
  const read = { step, input: [...options, ...file], list, decoded };
  const chain = `[${input}:${step.track}]${pictures.filters.join(',')}`;
  const bytes = sourceFrameBytes(shown, pictures);
  if (files.frames?.reserve(key, bytes) !== true)
    return { ...read, chain: videoChain(shown, pictures, { graph: [], chain }) };
  const { frame, ...begun } = teeSourceFrames(chain, shown, {
    key,
    bytes,
    file: `${files.folder}/frames-${input}.yuv`,
  });
  return { ...read, chain: videoChain(shown, pictures, begun), frame };
};

const layerOf = (step: Step, input: number, run: FrameRange, files: GraphSources, scene: Scene): Layer | null => {
  const own = toLayerFrameSpan(step, run.from, run.until);
  const shown: VisibleLayer = {
    ...{ step, own, fps: scene.fps, frame: scene, label: `layer${input}` },
    late: step.from + own.from - run.from,
  };
  const alpha = input > 0 && !step.solid;
  if (step.kind === 'video') return videoLayer({ ...shown, step }, input, run, files, scene);
  const drawn = files.drawn.get(step.kind === 'raster' ? step.raster : step.animation);
  if (drawn === undefined) return null;
  return isAnimation(drawn)
    ? { step, input: animationInput(drawn, shown), list: null, chain: animationChain(input, drawn, shown, alpha) }
    : { step, input: rasterInput(drawn, shown), list: null, chain: rasterChain(input, drawn, shown, alpha) };
};

const TAGS = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';
/** Drops the captions and mastering metadata of the lowest layer's source: they do not describe the rendered video. */
const NO_SIDE_DATA = 'sidedata=mode=delete';
const FROM_BT709 = 'in_color_matrix=bt709:in_range=tv:out_color_matrix=bt709:out_range=tv';

const ends = (whole: string, run: FrameRange, { width, height }: Scene): readonly string[] => {
  const labels = run.outputs.map((_, index) => `[whole${index}]`);
  return [
    `[${whole}]split=${run.outputs.length}${labels.join('')}`,
    ...run.outputs.map((output, index) => {
      const as_it_is = output.width === width && output.height === height;
      const scale = as_it_is ? '' : `scale=${output.width}:${output.height}:${WHOLE_FRAME_SCALE_FLAGS}:${FROM_BT709},`;
      return `[whole${index}]${scale}format=yuv420p,setsar=1,${TAGS},${NO_SIDE_DATA}[v${index}]`;
    }),
  ];
};

/** Positions count in the layers' own frames, so that no cut changes a pixel. Everything is BT.709 until encoded. */
export const videoGraph = (scene: Scene, run: FrameRange, files: GraphSources): VideoGraph => {
  const visible = visibleSteps(scene, run.from, run.until);
  const layers: Layer[] = [];
  for (const step of visible) {
    const layer = layerOf(step, layers.length, run, files, scene);
    if (layer !== null) layers.push(layer);
  }
  const { graph, end } = compositeLayers(layers, run, scene.fps, { width: scene.width, height: scene.height });
  return {
    inputs: ['-filter_complex_threads', String(DECODER_THREADS), '-copyts', ...layers.flatMap(({ input }) => input)],
    graph: [...layers.flatMap(({ chain }) => chain.graph), ...graph, ...ends(end, run, scene)],
    lists: layers.flatMap(({ list }, index) =>
      list === null ? [] : [{ path: listPath(files, run, index), text: list }],
    ),
    parts: layers.flatMap(({ decoded }) => decoded ?? []),
    frames: layers.flatMap(({ frame }) => frame ?? []),
  };
};
