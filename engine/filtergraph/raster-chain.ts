import { expandRegion, type Region } from '../raster/geometry.ts';
import type { DrawnAnimation, DrawnRaster } from '../raster/raster-job.ts';
import { alignedFormatFilters, type LayerPixelFormat, padTransparentEdge } from './chroma.ts';
import { decimal } from './expressions.ts';
import { type LayerChain, type LayerFrames, layerChainOf, type VisibleLayer } from './layer-chain.ts';
import { isGliding, restsOnEvenPixels, SCALE_FLAGS } from './placement.ts';
import { frameTimestamps, rawInput } from './raw-input.ts';
import { frameGridFilters } from './source-times.ts';
import { addEdgePaddingFilter, ODD_PIXEL_PADDING } from './surround.ts';

const TO_BT709 = 'out_color_matrix=bt709:out_range=tv';

export const rasterInput = ({ region, file }: DrawnRaster, { fps }: VisibleLayer): readonly string[] =>
  rawInput('rgba', region, `${fps.num}/${fps.den}`, file);

/** On even pixels, the surround is cropped. On odd pixels, the picture needs a drawn or generated surround. */
const picturesOf = (from: string, region: Region, shown: VisibleLayer, alpha: boolean): LayerFrames => {
  const { step, own, label } = shown;
  const { margin } = step.surround;
  const rest = expandRegion(region, -margin);
  const even = restsOnEvenPixels(step, rest, own);
  const form: LayerPixelFormat = { chroma: even ? '420' : '444', alpha };
  const cut = even && margin > 0;
  const edged = padTransparentEdge(even ? rest : region, form);
  const filters = [
    `scale=${SCALE_FLAGS}:${TO_BT709}`,
    ...alignedFormatFilters(form),
    ...(cut ? [`crop=${rest.width}:${rest.height}:${margin}:${margin}`] : []),
    ...edged.filters,
    'setsar=1',
  ];
  const pictures = { graph: [], chain: `${from}${filters.join(',')}`, region: edged.region, form, opaque: false };
  const needs_surround = !even && alpha && margin === 0 && !isGliding(step, region, own);
  return needs_surround ? addEdgePaddingFilter(ODD_PIXEL_PADDING, pictures, label) : pictures;
};

const appendFilters = (pictures: LayerFrames, filters: readonly string[]): LayerFrames => ({
  ...pictures,
  chain: [pictures.chain, ...filters].join(','),
});

/** Reads and converts the picture once, then repeats it for each frame. */
export const rasterChain = (
  input: number,
  { region }: DrawnRaster,
  shown: VisibleLayer,
  alpha: boolean,
): LayerChain => {
  const { own, fps } = shown;
  const pictures = picturesOf(`[${input}:v:0]`, region, shown, alpha);
  const repeated = [`loop=loop=${own.until - own.from - 1}:size=1:start=0`, ...frameTimestamps(own.from, fps)];
  return layerChainOf(shown, appendFilters(pictures, repeated));
};

/** Number of the first visible page, counted through all repetitions of the animation. */
const firstPage = ({ frame_ms }: DrawnAnimation, { own, fps }: VisibleLayer): number =>
  Math.floor((own.from * fps.den * 1000) / (fps.num * frame_ms) + 1e-6);

export const animationInput = (drawn: DrawnAnimation, shown: VisibleLayer): readonly string[] => {
  const { region, file, frame_ms, frames } = drawn;
  const skipped = firstPage(drawn, shown) % frames;
  return [
    ...['-stream_loop', '-1'],
    ...(skipped === 0 ? [] : ['-noaccurate_seek', '-ss', decimal(((skipped + 0.25) * frame_ms) / 1000)]),
    ...rawInput('rgba', region, `1000/${frame_ms}`, file),
  ];
};

/**
 * Computes timestamps from the number of frames read, because the input's own timestamps depend on where reading
 * begins.
 */
export const animationChain = (
  input: number,
  drawn: DrawnAnimation,
  shown: VisibleLayer,
  alpha: boolean,
): LayerChain => {
  const frame_us = drawn.frame_ms * 1000;
  const timed = `[${input}:v:0]settb=1/1000000,setpts=(N+${firstPage(drawn, shown)})*${frame_us}-1,`;
  const pictures = picturesOf(timed, drawn.region, shown, alpha);
  return layerChainOf(shown, appendFilters(pictures, frameGridFilters(shown.fps, shown.own, shown.own.from)));
};
