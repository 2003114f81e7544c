import { mulberry32 } from '../../../stack/testing/mulberry32.ts';

/** Pseudo-random values of one seed: the same values in the same order. */
export type Random = {
  readonly next: () => number;
  readonly between: (from: number, to: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <A>(among: readonly A[]) => A;
  /** Independent values that do not depend on the number of values taken here. */
  readonly fork: (name: string) => Random;
};

const hashOf = (text: string, seed: number): number => {
  let hash = seed ^ 0x9e3779b9;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x85ebca6b) ^ (hash >>> 13);
  return hash >>> 0;
};

export const randomOf = (seed: number): Random => {
  const next = mulberry32(seed);
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
