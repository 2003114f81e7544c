import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { Size } from '../raster/geometry.ts';
import { mixesWithin } from '../scene/hiding.ts';
import type { GroupMix, Step } from '../scene/scene.ts';
import { decimal } from './expressions.ts';
import type { LayerChain } from './layer-chain.ts';
import { opacityGraph } from './opacity.ts';

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

/** The picture with the layers of a group, as opaque as the group is. */
const mixedGroup = (
  mix: GroupMix,
  { whole, mixed, shown }: { readonly whole: string; readonly mixed: string; readonly shown: string },
  run: FrameSpan,
  fps: FrameRate,
  frame: Size,
): readonly string[] => {
  const seconds = (frames: number): string => decimal((frames * fps.den) / fps.num);
  const fades = mix.fades.map(
    ({ type, at, frames }) => `fade=type=${type}:start_time=${seconds(at)}:duration=${seconds(frames)}:alpha=1`,
  );
  const opacity = opacityGraph(mix, run, fps, { label: mixed, opaque: fades.length === 0, exact: true, ...frame });
  const begun = ['format=yuva420p', `setpts=PTS+${run.from}`, ...fades, ...opacity.filters].join(',');
  return [`[${whole}]${begun}[${mixed}]`, ...opacity.graph, `[${opacity.end}]setpts=PTS-${run.from}[${shown}]`];
};

/**
 * Composites the lowest layer first. While a dissolve is active, there are two pictures: without the appearing layers
 * and without the disappearing ones. The dissolve mixes them. Pixels that both share do not change, and no layer needs
 * the opacity of another.
 *
 * The layers of a group are composited on a copy of the picture below them, which is then mixed with that picture.
 */
export const compositeLayers = (
  layers: readonly ChainedLayer[],
  run: FrameSpan,
  { num, den }: FrameRate,
  frame: Size,
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
  /** The picture below each open group, the outermost group first. */
  const groups: { readonly mix: GroupMix; readonly below: string }[] = [];
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

  const openGroup = (mix: GroupMix): void => {
    const [below, inside] = [label(), label()];
    graph.push(`[${whole}]split[${below}][${inside}]`);
    groups.push({ mix, below });
    whole = inside;
  };
  const closeGroup = ({ mix, below }: { readonly mix: GroupMix; readonly below: string }): void => {
    const shown = label();
    graph.push(...mixedGroup(mix, { whole, mixed: label(), shown }, run, { num, den }, frame));
    whole = overlay(below, shown, 'x=0:y=0', []);
  };
  /** Closes the groups that end before the step, and opens those that begin with it. */
  const enterGroups = (wanted: readonly GroupMix[]): void => {
    const kept = groups.findIndex(({ mix }, level) => mix.id !== wanted[level]?.id);
    const inside = kept === -1 ? groups.length : kept;
    for (const open of groups.splice(inside).toReversed()) closeGroup(open);
    for (const mix of wanted.slice(inside)) openGroup(mix);
  };

  for (const [index, { step, chain }] of layers.entries()) {
    if (index === 0) continue;
    enterGroups(mixesWithin(step, run.from, run.until));
    for (const dissolve of dissolves) if (Math.max(1, dissolve.first) === index) open(dissolve);
    const beside = [...sides.keys()].filter((dissolve) => !takesPart(step, dissolve, 'out'));
    const ends = beside.map((_, n) => `${chain.end}s${n}`);
    if (beside.length > 0)
      graph.push(`[${chain.end}]split=${beside.length + 1}[${chain.end}m]${ends.map((end) => `[${end}]`).join('')}`);
    const appearing = dissolves.filter((dissolve) => takesPart(step, dissolve, 'in'));
    const end = beside.length > 0 ? `${chain.end}m` : chain.end;
    const unless_appearing = appearing.map((dissolve) => `not(${within(dissolve)})`);
    whole = overlay(whole, end, chain.overlay, unless_appearing);
    for (const [n, dissolve] of beside.entries())
      sides.set(dissolve, overlay(sides.get(dissolve) ?? '', ends[n] ?? '', chain.overlay, [within(dissolve)]));
    for (const dissolve of dissolves) if (dissolve.last === index) close(dissolve);
  }
  enterGroups([]);
  return { graph, end: whole };
};
