import type { SourcePart } from '../media/decode-alone.ts';
import type { ColorProperties } from '../media/media-properties.ts';
import { videoDecoderOptions } from '../process/ffmpeg-arguments.ts';
import { flipFilters } from '../raster/framing.ts';
import { isMisalignedToChroma } from '../scene/resting.ts';
import type { VideoStep } from '../scene/scene.ts';
import { alignedFormatFilters, formatFilter, type LayerPixelFormat, padTransparentEdge } from './chroma.ts';
import { roundCorners } from './corners.ts';
import { decimal } from './expressions.ts';
import { type LayerChain, type LayerFrames, layerChainOf, type VisibleLayer } from './layer-chain.ts';
import { isTranslucent } from './opacity.ts';
import { isGliding, restsOnEvenPixels, SCALE_FLAGS } from './placement.ts';
import { rotateVideo } from './rotation.ts';
import { loopFilters, playOnceFilters, repetitionList, seekPosition, sourceIntervalToRead } from './source-times.ts';
import { addEdgePaddingFilter, ODD_PIXEL_PADDING } from './surround.ts';

const TO_BT709 = 'out_color_matrix=bt709:out_range=tv';

/**
 * The Hable curve maps 1,000 nits to white, and reaches 1.28 at the 10,000 nits of PQ. The Möbius curve then compresses
 * the highlights. It does not change light below 500 nits.
 */
const HIGHLIGHTS = 'tonemap=mobius:param=0.75:peak=1.28:desat=0';

const toSdr = ({ hdr, full_range }: ColorProperties): readonly string[] => {
  if (hdr === null) return [];
  const { transfer, matrix, primaries } = hdr;
  const range = full_range || matrix === null ? 'pc' : 'tv';
  return [
    ...(matrix === null ? ['format=gbrp16le'] : []),
    // zscale fails if a frame lacks one of these properties.
    `setparams=color_trc=${transfer}:colorspace=${matrix ?? 'gbr'}:color_primaries=${primaries}:range=${range}`,
    'zscale=transfer=linear:npl=100',
    'format=gbrpf32le',
    'zscale=primaries=bt709',
    'tonemap=hable:desat=0',
    ...(transfer === 'smpte2084' ? [HIGHLIGHTS] : []),
    'zscale=transfer=bt709:matrix=bt709:range=tv',
    'format=yuv444p10le',
  ];
};

export type VisibleVideo = VisibleLayer & { readonly step: VideoStep };

const ROTATIONS = { 0: [], 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] } as const;

/**
 * True if the layer's scaler can convert frames of any size. False if filters run before the scaler, because they need
 * frames of one size and format.
 */
const scalesEachFrame = ({ coded, interlaced, color, crop }: VideoStep): boolean =>
  coded !== null && coded.rotation === 0 && !interlaced && color.hdr === null && crop === undefined;

/**
 * Converts frames with another size or format than the first frame. The option `-reinit_filter 0` lets them reach this
 * filter: otherwise ffmpeg would rebuild the graph and restart all timestamps. The rotation of ffmpeg runs before this
 * filter, and would read past the end of a smaller frame.
 */
const toFirstFormat = (step: VideoStep): readonly string[] => {
  const { coded } = step;
  if (coded === null || scalesEachFrame(step)) return [];
  return [`scale=${coded.width}:${coded.height}:${SCALE_FLAGS}`, ...ROTATIONS[coded.rotation]];
};

/** `list` is a concat list of repetitions, which must be written first; null for a file that plays once. */
export type VideoInput = { readonly options: readonly string[]; readonly list: string | null };

export const videoSourcePart = ({ step, own, fps }: VisibleVideo, path: string): SourcePart => ({
  ...{ asset: step.part.asset, stream: 'video', track: step.track, path, file_starts_s: step.file_starts_s },
  decoder: videoDecoderOptions(step.decoder),
  ...sourceIntervalToRead(step, own, fps),
});

export const videoInput = ({ step, own, fps }: VisibleVideo, path: string): VideoInput => {
  const rotated = (step.coded?.rotation ?? 0) === 0 ? [] : ['-noautorotate'];
  const decoder = [
    ...videoDecoderOptions(step.decoder),
    ...rotated,
    ...(step.coded === null ? [] : ['-reinit_filter', '0']),
  ];
  if (step.part.body !== null)
    return { options: ['-safe', '0', ...decoder], list: repetitionList(step, path, own, fps) };
  const seek_s = seekPosition(step, own, fps);
  // No accurate seek, because the frame shown at this position may have a much earlier timestamp.
  return { options: [...(seek_s > 0 ? ['-noaccurate_seek', '-ss', decimal(seek_s)] : []), ...decoder], list: null };
};

/**
 * Frames with a smaller difference in aspect get no bars: their sizes are only rounded to whole pixels or encoder
 * blocks.
 */
const SAME_ASPECT = 0.02;

/** A frame with another aspect keeps it and gets bars, as when a video call turns from landscape to portrait. */
const fittedSize = (step: VideoStep): { readonly size: string; readonly bars: readonly string[] } => {
  const { coded, placed, transparent } = step;
  const { width, height } = placed;
  if (coded === null || !scalesEachFrame(step)) return { size: `${width}:${height}`, bars: [] };
  const aspect = decimal(coded.aspect);
  const side = (full: number, share: string): string =>
    `'if(lt(abs(dar/${aspect}-1),${SAME_ASPECT}),${full},max(2,2*round(${full / 2}*min(1,${share}))))'`;
  return {
    size: `w=${side(width, `dar/${aspect}`)}:h=${side(height, `${aspect}/dar`)}:eval=frame`,
    bars: [`pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:eval=frame:color=black${transparent ? '@0' : ''}`],
  };
};

const cropFilters = ({ crop }: VideoStep): readonly string[] => {
  if (crop === undefined) return [];
  const { left, top, right, bottom } = crop;
  const part = (side: string, before: number, after: number): string => `max(2,${side}*${decimal(1 - before - after)})`;
  return [
    `crop=w='${part('iw', left, right)}':h='${part('ih', top, bottom)}':x='iw*${decimal(left)}':y='ih*${decimal(top)}'`,
  ];
};

/** The edges continue outside, so that they do not fade. Subsampled chroma has half the pixels. */
const blurFilters = ({ blur, transparent }: VideoStep, { chroma }: LayerPixelFormat): readonly string[] => {
  if (blur === undefined) return [];
  const blurred = [
    `gblur=sigma=${decimal(blur)}:steps=4:planes=9`,
    `gblur=sigma=${decimal(chroma === '420' ? blur / 2 : blur)}:steps=4:planes=6`,
  ];
  return transparent ? ['premultiply=inplace=1', ...blurred, 'unpremultiply=inplace=1'] : blurred;
};

const fromSource = (step: VideoStep): readonly string[] => {
  const { color } = step;
  const matrix =
    color.matrix === null ? '' : `:in_color_matrix=${color.matrix}:in_range=${color.full_range ? 'pc' : 'tv'}`;
  const from = color.hdr !== null ? ':in_color_matrix=bt709:in_range=tv' : matrix;
  const { size, bars } = fittedSize(step);
  return [`scale=${size}:${SCALE_FLAGS}${from}:${TO_BT709}`, ...bars];
};

/**
 * Runs after `fromSource` has scaled frames to the layer's size, which is usually smaller than the source's. The input
 * already has BT.709 matrix and range.
 */
const toBt709 = ({ color: { converted }, transparent }: VideoStep): readonly string[] => {
  if (converted === undefined) return [];
  const from = `pin=${converted.primaries}:tin=${converted.transfer}:min=bt709:rin=tv`;
  return [
    `format=yuv${transparent ? 'a' : ''}444p12le`,
    `zscale=${from}:primaries=bt709:transfer=iec61966-2-1:matrix=bt709:range=tv`,
  ];
};

/** The source's frames before they are resized, rotated or made translucent. `filters` follow the decoder. */
export type SourceFrameLayout = Pick<LayerFrames, 'region' | 'form' | 'opaque'> & {
  readonly filters: readonly string[];
};

/** @param lowest true if no layer is below: alpha is then needed only if the layer itself is transparent */
export const sourceFrameLayout = ({ step, own, fps }: VisibleVideo, lowest: boolean): SourceFrameLayout => {
  const { placed, seen, rotation } = step;
  const translucent = step.transparent || step.corners !== undefined;
  const opaque = !translucent && (rotation === 0 || rotation % 90 === 0);
  const alpha = (!lowest && !step.solid) || !opaque || isTranslucent(step, own);
  const uncropped = placed.width === seen.width && placed.height === seen.height;
  const onGrid = !isMisalignedToChroma(step);
  const form: LayerPixelFormat = { chroma: onGrid && restsOnEvenPixels(step, seen, own) ? '420' : '444', alpha };
  const with_edge = padTransparentEdge(seen, { ...form, alpha: translucent });
  const filters = [
    ...toFirstFormat(step),
    ...(step.interlaced ? [`bwdif=mode=${step.by_field ? 'send_field' : 'send_frame'}:deint=interlaced`] : []),
    ...(step.part.body === null ? playOnceFilters(step, own, fps) : loopFilters(step, own, fps)),
    ...cropFilters(step),
    ...toSdr(step.color),
    ...fromSource(step),
    ...toBt709(step),
    ...(onGrid ? alignedFormatFilters(form) : [formatFilter(form)]),
    'setsar=1',
    ...flipFilters(step.flip),
    ...(uncropped ? [] : [`crop=${seen.width}:${seen.height}:${seen.x - placed.x}:${seen.y - placed.y}`]),
    ...blurFilters(step, form),
    ...with_edge.filters,
  ];
  return { filters, region: with_edge.region, form, opaque };
};

/** @param begun the graph before the source's frames, and the chain that provides them */
export const videoChain = (
  shown: VisibleVideo,
  { region, form, opaque }: SourceFrameLayout,
  begun: Pick<LayerFrames, 'graph' | 'chain'>,
): LayerChain => {
  const { step, own, label } = shown;
  const { rotation } = step;
  const upright = roundCorners(step, { ...begun, region }, label);
  const { graph, ...placed } = rotation === 0 ? { ...upright, graph: [] } : rotateVideo(step, upright.chain, label);
  const pictures = { ...placed, graph: [...upright.graph, ...graph], form, opaque };
  const is_gliding = isGliding(step, pictures.region, own);
  if (form.chroma === '420' || rotation % 90 !== 0 || !(is_gliding || form.alpha)) return layerChainOf(shown, pictures);
  return layerChainOf(shown, addEdgePaddingFilter(is_gliding ? step.surround : ODD_PIXEL_PADDING, pictures, label));
};
