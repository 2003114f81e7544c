import { decimal } from './picture-graph.ts';
import { type RenderPlan, SAMPLE_RATE, type SoundStep } from './render-plan.ts';

/** A little below full scale, so that the encoder's own error does not clip. */
const CEILING = 0.97;
const STEREO = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;

const voiceChain = (step: SoundStep, index: number): string => {
  const fade_out_at_s = step.length_s - step.fade_out_s;
  return `[${step.source}:a:0]${[
    `atrim=start=${decimal(step.trim_start_s)}:duration=${decimal(step.length_s)}`,
    `asetpts=PTS-(${decimal(step.trim_start_s)})/TB`,
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    STEREO,
    ...(step.volume === 1 ? [] : [`volume=${decimal(step.volume)}`]),
    ...(step.fade_in_s > 0 ? [`afade=type=in:start_time=0:duration=${decimal(step.fade_in_s)}:curve=tri`] : []),
    ...(step.fade_out_s > 0
      ? [`afade=type=out:start_time=${decimal(fade_out_at_s)}:duration=${decimal(step.fade_out_s)}:curve=tri`]
      : []),
    ...(step.starts_at_sample > 0 ? [`adelay=delays=${step.starts_at_sample}S:all=1`] : []),
  ].join(',')}[voice${index}]`;
};

/**
 * The sound's part of the filter graph: every voice laid over a bed of silence of the exact length, each at its own
 * level, then a limiter; one end for each output (`[a0]`, `[a1]`…). A composition without sound has silence.
 */
export const soundGraph = (plan: RenderPlan): readonly string[] => {
  const exact = `atrim=end_sample=${plan.samples}`;
  const voices = plan.sound.map((_, index) => `[voice${index}]`).join('');
  const mix = `amix=inputs=${plan.sound.length + 1}:duration=first:dropout_transition=0:normalize=0`;
  const limiter = `alimiter=limit=${CEILING}:attack=5:release=50:level=false:latency=true`;
  const ends = plan.outputs.map((_, index) => `[a${index}]`).join('');
  return [
    `anullsrc=sample_rate=${SAMPLE_RATE}:channel_layout=stereo,${exact},${STEREO}[bed]`,
    ...plan.sound.map(voiceChain),
    `[bed]${voices}${mix},${limiter},apad,${exact},asplit=${plan.outputs.length}${ends}`,
  ];
};
