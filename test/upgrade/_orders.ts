import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export type Version = 'old' | 'new';
/** All processes of a component are restarted with that version, one after the other. */
export type Restart = { readonly component: string; readonly version: Version };

const shuffled = (names: readonly string[], seed: number): readonly string[] => {
  const random = xoroshiro128plus(seed);
  const left = [...names];
  return names.map(() => left.splice(uniformInt(random, 0, left.length - 1), 1)[0] ?? '');
};

const to = (version: Version, names: readonly string[]): readonly Restart[] =>
  names.map((component) => ({ component, version }));

/**
 * Forward and back in an order, and forward and back in its reverse: of any two components, each is once ahead of the
 * other, and once behind it.
 */
export const forwardAndBack = (names: readonly string[], seed: number): readonly Restart[] => {
  const order = shuffled(names, seed);
  const reverse = order.toReversed();
  return [...to('new', order), ...to('old', order), ...to('new', reverse), ...to('old', reverse)];
};

/**
 * Forward only, as it is described for a version with a new read model: what reads it can read the one before, too, but
 * not the other way round, so what folds it comes last.
 */
export const projectorsLast = (names: readonly string[], seed: number): readonly Restart[] => [
  ...to(
    'new',
    shuffled(
      names.filter((name) => name !== 'projectors'),
      seed,
    ),
  ),
  ...to('new', ['projectors']),
];

/** Through all mixes of versions, each of them once, and back to the first: a Gray code. */
export const everyMix = (names: readonly string[], seed: number): readonly Restart[] => {
  const order = shuffled(names, seed);
  const now = new Map<string, Version>();
  return Array.from({ length: 2 ** order.length }, (_, i) => {
    const component = order[Math.min(31 - Math.clz32((i + 1) & -(i + 1)), order.length - 1)] ?? '';
    const version = now.get(component) === 'new' ? 'old' : 'new';
    now.set(component, version);
    return { component, version };
  });
};
