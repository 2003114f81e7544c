import { grownBy, type Region } from '../raster/geometry.ts';
import type { DrawnAnimation, DrawnRaster } from '../raster/raster-job.ts';
import { type Composited, subsampledFirst, withEdge } from './chroma.ts';
import { decimal } from './expressions.ts';
import { type LayerChain, layerChainOf, type ShownLayer } from './layer-chain.ts';
import { isGliding, SCALING } from './placement.ts';
import { onGrid } from './source-times.ts';

const TO_BT709 = 'out_color_matrix=bt709:out_range=tv';

const asPath = (path: string): string => (path.startsWith('/') ? path : `./${path}`);
const raw = (width: number, height: number, rate: string, file: string): readonly string[] => [
  ...['-f', 'rawvideo', '-pixel_format', 'rgba', '-video_size', `${width}x${height}`, '-framerate', rate],
  ...['-protocol_whitelist', 'file', '-i', asPath(file)],
];

export const rasterInput = ({ region, file }: DrawnRaster, { fps }: ShownLayer): readonly string[] =>
  raw(region.width, region.height, `${fps.num}/${fps.den}`, file);

/** As it is composited: while it rests as it was drawn, its surround is cut off, which lies on even pixels. */
const seenOf = (
  region: Region,
  { step, own }: ShownLayer,
  to: Composited,
): { readonly region: Region; readonly filters: readonly string[] } => {
  const { margin } = step.surround;
  const whole = margin === 0 || isGliding(step, region, own);
  const seen = whole ? region : grownBy(region, -margin);
  const edged = withEdge(seen, to);
  return {
    region: edged.region,
    filters: [
      ...subsampledFirst(to),
      ...(whole ? [] : [`crop=${seen.width}:${seen.height}:${margin}:${margin}`]),
      ...edged.filters,
    ],
  };
};

/** Read and converted once, then repeated for each frame. */
export const rasterChain = (input: number, { region }: DrawnRaster, shown: ShownLayer, to: Composited): LayerChain => {
  const { own, fps } = shown;
  const seen = seenOf(region, shown, to);
  const chain = `[${input}:v:0]${[
    `scale=${SCALING}:${TO_BT709}`,
    ...seen.filters,
    'setsar=1',
    `loop=loop=${own.until - own.from - 1}:size=1:start=0`,
    `settb=${fps.den}/${fps.num}`,
    `setpts=N+${own.from}`,
  ].join(',')}`;
  return layerChainOf(shown, { graph: [], chain, region: seen.region, opaque: false });
};

/** The first frame of an animation that shows, counted through all its repetitions. */
const firstPage = ({ frame_ms }: DrawnAnimation, { own, fps }: ShownLayer): number =>
  Math.floor((own.from * fps.den * 1000) / (fps.num * frame_ms) + 1e-6);

export const animationInput = (drawn: DrawnAnimation, shown: ShownLayer): readonly string[] => {
  const { region, file, frame_ms, frames } = drawn;
  const skipped = firstPage(drawn, shown) % frames;
  return [
    ...['-stream_loop', '-1'],
    ...(skipped === 0 ? [] : ['-noaccurate_seek', '-ss', decimal(((skipped + 0.25) * frame_ms) / 1000)]),
    ...raw(region.width, region.height, `1000/${frame_ms}`, file),
  ];
};

/** Its frames are counted, not timed, so the end of a repetition and the position of the read do not matter. */
export const animationChain = (input: number, drawn: DrawnAnimation, shown: ShownLayer, to: Composited): LayerChain => {
  const seen = seenOf(drawn.region, shown, to);
  const frame_us = drawn.frame_ms * 1000;
  const chain = `[${input}:v:0]${[
    'settb=1/1000000',
    `setpts=(N+${firstPage(drawn, shown)})*${frame_us}-1`,
    `scale=${SCALING}:${TO_BT709}`,
    ...seen.filters,
    'setsar=1',
    ...onGrid(shown.fps, shown.own, shown.own.from),
  ].join(',')}`;
  return layerChainOf(shown, { graph: [], chain, region: seen.region, opaque: false });
};
