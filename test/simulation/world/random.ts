/** Chances of one seed: the same ones in the same order. */
export type Random = {
  /** From 0 up to 1. */
  readonly next: () => number;
  /** A whole number, both ends included. */
  readonly between: (from: number, to: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <A>(among: readonly A[]) => A;
  /** Chances of their own, which do not depend on how many were taken here since. */
  readonly fork: (name: string) => Random;
};

const hashOf = (text: string, seed: number): number => {
  let hash = seed ^ 0x9e3779b9;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x85ebca6b) ^ (hash >>> 13);
  return hash >>> 0;
};

/** mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick: (among) => {
      const picked = among[Math.floor(next() * among.length)];
      if (picked === undefined) throw new Error('there is nothing to pick from');
      return picked;
    },
    fork: (name) => randomOf(hashOf(name, seed)),
  };
};
