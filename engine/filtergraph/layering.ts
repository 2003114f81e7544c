import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { Step } from '../scene/scene.ts';
import { decimal } from './expressions.ts';
import type { LayerChain } from './layer-chain.ts';

export type ChainedLayer = { readonly step: Step; readonly chain: LayerChain };

/** The frames of a dissolve in the composition, and the indices of its first and last layer among the run's layers. */
type Dissolve = FrameSpan & { readonly id: string; readonly first: number; readonly last: number };

const dissolvesOf = (layers: readonly ChainedLayer[], run: FrameSpan): readonly Dissolve[] => {
  const found = new Map<string, Dissolve>();
  for (const [index, { step }] of layers.entries())
    for (const { at, frames, dissolve } of step.fades) {
      const from = step.from + at;
      if (dissolve === null || from >= run.until || from + frames <= run.from) continue;
      const first = found.get(dissolve)?.first ?? index;
      found.set(dissolve, { id: dissolve, from, until: from + frames, first, last: index });
    }
  return [...found.values()];
};

const takesPart = ({ fades }: Step, { id }: Dissolve, as: 'in' | 'out'): boolean =>
  fades.some(({ type, dissolve }) => dissolve === id && type === as);

/**
 * Composites the lowest layer first. While a dissolve is active, there are two pictures: without the appearing layers
 * and without the disappearing ones. The dissolve mixes them. Pixels that both share do not change, and no layer needs
 * the opacity of another.
 */
export const compositeLayers = (
  layers: readonly ChainedLayer[],
  run: FrameSpan,
  { num, den }: FrameRate,
): { readonly graph: readonly string[]; readonly end: string } => {
  const dissolves = dissolvesOf(layers, run);
  const graph: string[] = [];
  const sides = new Map<Dissolve, string>();
  let [whole, labels] = [layers[0]?.chain.end ?? '', 0];

  const label = (): string => {
    labels += 1;
    return `picture${labels}`;
  };
  const seconds = (frames: number): string => decimal((frames * den) / num);
  const within = ({ from, until }: FrameSpan): string =>
    `gte(t,${seconds(from - run.from - 0.5)})*lt(t,${seconds(until - run.from - 0.5)})`;
  const overlay = (below: string, above: string, options: string, enabled: readonly string[]): string => {
    const laid = label();
    const when = enabled.length === 0 ? '' : `:enable='${enabled.join('*')}'`;
    graph.push(`[${below}][${above}]overlay=${options}:format=yuv420:eof_action=pass${when}[${laid}]`);
    return laid;
  };
  const open = (dissolve: Dissolve): void => {
    const [old, side] = [label(), label()];
    graph.push(`[${whole}]split[${old}][${side}]`);
    whole = old;
    sides.set(dissolve, side);
  };
  const close = (dissolve: Dissolve): void => {
    const { from, until } = dissolve;
    const [side, mixed] = [sides.get(dissolve), label()];
    const fade = `fade=type=in:start_time=${seconds(from)}:duration=${seconds(until - from)}:alpha=1`;
    graph.push(`[${side}]format=yuva420p,setpts=PTS+${run.from},${fade},setpts=PTS-${run.from}[${mixed}]`);
    sides.delete(dissolve);
    whole = overlay(whole, mixed, 'x=0:y=0', [within(dissolve)]);
  };

  for (const [index, { step, chain }] of layers.entries()) {
    if (index === 0) continue;
    for (const dissolve of dissolves) if (Math.max(1, dissolve.first) === index) open(dissolve);
    const beside = [...sides.keys()].filter((dissolve) => !takesPart(step, dissolve, 'out'));
    const ends = beside.map((_, n) => `${chain.end}s${n}`);
    if (beside.length > 0)
      graph.push(`[${chain.end}]split=${beside.length + 1}[${chain.end}m]${ends.map((end) => `[${end}]`).join('')}`);
    const appearing = dissolves.filter((dissolve) => takesPart(step, dissolve, 'in'));
    const end = beside.length > 0 ? `${chain.end}m` : chain.end;
    whole = overlay(
      whole,
      end,
      chain.overlay,
      appearing.map((dissolve) => `not(${within(dissolve)})`),
    );
    for (const [n, dissolve] of beside.entries())
      sides.set(dissolve, overlay(sides.get(dissolve) ?? '', ends[n] ?? '', chain.overlay, [within(dissolve)]));
    for (const dissolve of dissolves) if (dissolve.last === index) close(dissolve);
  }
  return { graph, end: whole };
};
