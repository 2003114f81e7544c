/** Whether all runs are made (`make test-long`, `make soak-render`). */
export const IN_FULL = process.env.PROPERTY_RUNS === 'all';

/** The suite does a quarter of the runs of a property. */
export const runs = (all: number): number => (IN_FULL ? all : Math.ceil(all / 4));

export const cases = <A>(all: readonly A[], some: (one: A) => boolean): readonly A[] =>
  IN_FULL ? all : all.filter(some);

/**
 * Every fourth case of a slow table, beginning with the one at `first`; all cases in the long tests. Tests that share a
 * table pass different values of `first`, so that together they cover more cases.
 */
export const everyFourth = <A>(all: readonly A[], first = 0): readonly A[] =>
  IN_FULL ? all : all.filter((_, i) => i % 4 === first % 4);
