import { cacheKeyOf } from '../cache/key-of.ts';
import type { SourceFrame } from '../cache/source-frames.ts';
import { absolutePath } from '../process/ffmpeg-arguments.ts';
import { pixelFormat } from './chroma.ts';
import type { LayerFrames } from './layer-chain.ts';
import { frameTimestamps, rawInput } from './raw-input.ts';
import type { SourceFrameLayout, VideoInput, VisibleVideo } from './video-chain.ts';

export type SourceFrameOutput = SourceFrame & { readonly label: string };

export const sourceFrameBytes = ({ own }: VisibleVideo, { region, form }: SourceFrameLayout): number => {
  const { width, height } = region;
  const all = width * height;
  const colors = form.chroma === '444' ? 2 * all : 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
  return (own.until - own.from) * (all + colors + (form.alpha ? all : 0));
};

/** The same bytes of a file, opened and filtered identically by the same ffmpeg, give the same pixels. */
export const sourceFrameKey = (asset: string, { options, list }: VideoInput, { filters }: SourceFrameLayout): string =>
  cacheKeyOf({ asset, options, list, filters });

export const cachedFramesInput = (
  input: number,
  { own, fps }: VisibleVideo,
  { region, form }: SourceFrameLayout,
  file: string,
): { readonly options: readonly string[] } & Pick<LayerFrames, 'graph' | 'chain'> => {
  const times = frameTimestamps(own.from, fps).join(',');
  return {
    options: rawInput(pixelFormat(form), region, `${fps.num}/${fps.den}`, file),
    graph: [],
    chain: `[${input}:v:0]setparams=range=tv:colorspace=bt709,setsar=1,${times}`,
  };
};

/**
 * Copies a source's frames to a file. Delays the copies until the frames are composited, so that no output waits for
 * another.
 */
export const teeSourceFrames = (
  chain: string,
  { label, own, late }: VisibleVideo,
  frame: SourceFrame,
): Pick<LayerFrames, 'graph' | 'chain'> & { readonly frame: SourceFrameOutput } => ({
  graph: [
    `${chain},split[${label}shown][${label}beside]`,
    `[${label}beside]setpts=PTS-${own.from}+${late}[${label}frames]`,
  ],
  chain: `[${label}shown]setsar=1`,
  frame: { ...frame, label: `${label}frames` },
});

export const sourceFrameOutputs = (frames: readonly SourceFrameOutput[]): readonly string[] =>
  frames.flatMap(({ label, file }) => [
    ...['-map', `[${label}]`, '-fps_mode:v', 'passthrough', '-c:v', 'rawvideo', '-f', 'rawvideo', absolutePath(file)],
  ]);
