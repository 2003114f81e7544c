import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export type Version = 'old' | 'new';
/** Restarts all processes of a component with that version, one after the other. */
export type Restart = {
  readonly component: string;
  readonly version: Version;
  /** New renders get the newest fold version. Only possible if no old process is left. */
  readonly has_newest_fold?: true;
};

const shuffled = (names: readonly string[], seed: number): readonly string[] => {
  const random = xoroshiro128plus(seed);
  const left = [...names];
  return names.map(() => left.splice(uniformInt(random, 0, left.length - 1), 1)[0] ?? '');
};

const to = (version: Version, names: readonly string[]): readonly Restart[] =>
  names.map((component) => ({ component, version }));

/**
 * Upgrades and downgrades in an order, and then in its reverse. Each of two components is once ahead of the other and
 * once behind it.
 */
export const forwardAndBack = (names: readonly string[], seed: number): readonly Restart[] => {
  const order = shuffled(names, seed);
  const reverse = order.toReversed();
  return [...to('new', order), ...to('old', order), ...to('new', reverse), ...to('old', reverse)];
};

/**
 * An upgrade in the documented order for a version with a new read model. Its readers can read the former model too, so
 * the projectors come last.
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

/** All mixes of versions, each once, and back to the first: a Gray code. */
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

/** The end of an upgrade: the components that are still old become new, and only then the fold version changes. */
export const completed = (steps: readonly Restart[], names: readonly string[]): readonly Restart[] => {
  const last = new Map(steps.map(({ component, version }) => [component, version]));
  const old = names.filter((name) => last.get(name) !== 'new');
  return [...steps, ...to('new', old), { component: 'command-api', version: 'new', has_newest_fold: true }];
};
