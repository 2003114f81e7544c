import type { ColorFacts } from './media-facts.ts';
import type { RenderPlan, StillStep, VideoStep } from './render-plan.ts';
import type { DrawnStill } from './stills/still.ts';

/** Numbers as ffmpeg reads them, never with an exponent. */
export const decimal = (value: number): string => value.toFixed(9).replace(/\.?0+$/, '');

export const SCALING = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';
const TO_BT709 = 'out_color_matrix=bt709:out_range=tv';
/** A picture of the source may be seen this part of a frame early: forgives times that were rounded by the container. */
const EARLY_FRAMES = 0.1;

const pixelFormat = ({ chroma }: RenderPlan, transparent: boolean): string => `yuv${transparent ? 'a' : ''}${chroma}p`;

const toSdr = (color: ColorFacts): readonly string[] =>
  color.hdr
    ? [
        'zscale=transfer=linear:npl=100',
        'format=gbrpf32le',
        'zscale=primaries=bt709',
        'tonemap=hable:desat=0',
        'zscale=transfer=bt709:matrix=bt709:range=tv',
        'format=yuv444p10le',
      ]
    : [];

const fading = (step: StillStep | VideoStep): readonly string[] => [
  ...(step.fade_in_frames > 0 ? [`fade=type=in:start_frame=0:nb_frames=${step.fade_in_frames}:alpha=1`] : []),
  ...(step.fade_out_frames > 0
    ? [
        `fade=type=out:start_frame=${step.until - step.from - step.fade_out_frames}:nb_frames=${step.fade_out_frames}:alpha=1`,
      ]
    : []),
];

/** A still is read and converted once, then repeated on the composition's grid of frames. */
const stillChain = (input: number, step: StillStep, plan: RenderPlan, format: string): string => {
  const { num, den } = plan.fps;
  return `[${input}:v:0]${[
    `scale=${SCALING}:${TO_BT709}`,
    `format=${format}`,
    'setsar=1',
    `loop=loop=${step.until - step.from - 1}:size=1:start=0`,
    `settb=${den}/${num}`,
    `setpts=N+${step.from}`,
    ...fading(step),
  ].join(',')}`;
};

/**
 * The source on the composition's grid of frames: on frame n stands the picture that the source shows at n/fps. Where
 * it begins late its first picture is used, where it ends early its last one.
 */
const onGrid = (step: VideoStep, { fps }: RenderPlan): readonly string[] => {
  const shift_us = Math.round((step.shift_s - (EARLY_FRAMES * fps.den) / fps.num) * 1e6);
  return [
    'settb=1/1000000',
    `setpts=PTS+${shift_us < 0 ? `(${shift_us})` : shift_us}`,
    `fps=fps=${fps.num}/${fps.den}:round=up:start_time=${decimal((step.from * fps.den) / fps.num)}`,
    'tpad=stop=-1:stop_mode=clone',
    `trim=start_pts=${step.from}:end_pts=${step.until}`,
  ];
};

const videoChain = (step: VideoStep, plan: RenderPlan, base: boolean): string => {
  const { placed, seen, color } = step;
  const translucent =
    !base && (step.transparent || step.opacity < 1 || step.fade_in_frames > 0 || step.fade_out_frames > 0);
  const format = pixelFormat(plan, translucent);
  const matrix =
    color.hdr || color.matrix === null
      ? ''
      : `:in_color_matrix=${color.matrix}:in_range=${color.full_range ? 'pc' : 'tv'}`;
  const uncropped = placed.width === seen.width && placed.height === seen.height;
  return `[${step.source}:v:0]${[
    ...(step.interlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : []),
    ...onGrid(step, plan),
    ...toSdr(color),
    `scale=${placed.width}:${placed.height}:${SCALING}${color.hdr ? ':in_color_matrix=bt709:in_range=tv' : matrix}:${TO_BT709}`,
    `format=${format}`,
    'setsar=1',
    ...(uncropped ? [] : [`crop=${seen.width}:${seen.height}:${seen.x - placed.x}:${seen.y - placed.y}`]),
    ...(step.opacity < 1 ? [`lutyuv=a=val*${decimal(step.opacity)}`] : []),
    ...fading(step),
  ].join(',')}`;
};

const TAGS = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';

/**
 * The picture's part of the filter graph: the base, one overlay for each further step, then one end for each output
 * (`[v0]`, `[v1]`…). Everything is BT.709, studio range, until it is encoded.
 * Stills are inputs after the plan's sources, in the order of `stills`; one that drew nothing is left out.
 */
export const pictureGraph = (plan: RenderPlan, drawn: ReadonlyMap<string, DrawnStill>): readonly string[] => {
  const inputs = [...drawn.keys()];
  const chains: string[] = [];
  let base = '';
  for (const [index, step] of plan.picture.entries()) {
    const still = step.kind === 'still' ? drawn.get(step.still) : undefined;
    if (step.kind === 'still' && still === undefined) continue;
    const first = index === 0;
    const label = `[layer${index}]`;
    const chain =
      step.kind === 'still'
        ? stillChain(plan.sources.length + inputs.indexOf(step.still), step, plan, pixelFormat(plan, !first))
        : videoChain(step, plan, first);
    chains.push(`${chain}${label}`);
    if (first) {
      base = label;
      continue;
    }
    const { x, y } = step.kind === 'still' ? (still?.region ?? { x: 0, y: 0 }) : step.seen;
    const joined = `[picture${index}]`;
    chains.push(`${base}${label}overlay=x=${x}:y=${y}:eval=init:format=yuv${plan.chroma}:eof_action=pass${joined}`);
    base = joined;
  }
  const ends = plan.outputs.map((_, index) => `[whole${index}]`).join('');
  chains.push(`${base}trim=end_frame=${plan.frames},split=${plan.outputs.length}${ends}`);
  plan.outputs.forEach(({ width, height }, index) => {
    const as_it_is = width === plan.width && height === plan.height && plan.chroma === '420';
    const scale = `scale=${width}:${height}:${SCALING}:in_color_matrix=bt709:in_range=tv:${TO_BT709},`;
    chains.push(`[whole${index}]${as_it_is ? '' : scale}format=yuv420p,setsar=1,${TAGS}[v${index}]`);
  });
  return chains;
};
