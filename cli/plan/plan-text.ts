import { tableText } from '../table.ts';
import { layerTimesText } from './layer-times-text.ts';
import type { PlanAnswer } from './plan-answer.ts';

type Span = { readonly from: number; readonly until: number; readonly starts_s: number; readonly ends_s: number };

const framesText = ({ from, until }: Span): string => `${from}-${until - 1}`;
const secondsText = ({ starts_s, ends_s }: Span): string => `${starts_s.toFixed(2)}-${ends_s.toFixed(2)}`;

const MAX_LAYERS = 5;

const layersText = (layers: readonly string[]): string => {
  const more = layers.length - MAX_LAYERS;
  const shown = layers.slice(0, MAX_LAYERS).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
};

const totalsText = ({ totals, variants, runs, sound }: PlanAnswer): string => {
  const { frames, frames_to_encode } = totals;
  const each = variants.map((variant) => `${variant.name} ${variant.frames_to_encode}`).join(', ');
  const heard = `the sound ${sound.cached ? 'is cached' : 'will be mixed'}`;
  if (frames_to_encode === 0) return `All ${frames} frames are cached; ${heard}.`;
  const count = runs.length === 1 ? 'one run' : `${runs.length} runs`;
  return `${frames_to_encode} of ${frames} frames will be encoded (${each}), in ${count}; ${heard}.`;
};

export const planText = (plan: PlanAnswer): string => {
  const { project, composition, frames, fps, variants, layers, segments, runs } = plan;
  const length_s = ((frames * fps.den) / fps.num).toFixed(2);
  const rate = fps.den === 1 ? `${fps.num}` : `${fps.num}/${fps.den}`;
  const sizes = variants.map(({ name, width, height, codec }) => `${name} ${width}x${height} ${codec}`).join(', ');
  return [
    `${project.id} "${project.name}", version ${project.version}: ${composition}, ${length_s} s, ${frames} frames at ${rate}/s; ${sizes}`,
    ...layerTimesText(layers),
    tableText(
      ['segment', 'frames', 'seconds', 'layers', ...variants.map(({ name }) => name)],
      segments.map((segment) => [
        ...[segment.number, framesText(segment), secondsText(segment), layersText(segment.layers)],
        ...variants.map(({ name }) => (segment.cached[name] === true ? 'cached' : 'to render')),
      ]),
    ),
    ...(runs.length === 0
      ? []
      : [
          tableText(
            ['run', 'frames', 'seconds', 'segments', 'variants'],
            runs.map((run, index) => [index, framesText(run), secondsText(run), run.segments, run.variants.join(', ')]),
          ),
        ]),
    totalsText(plan),
  ].join('\n\n');
};
