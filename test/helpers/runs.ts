/** Whether all runs are made (`make test-long`, `make soak-render`). */
export const IN_FULL = process.env.PROPERTY_RUNS === 'all';

/** The suite does a quarter of the runs of a property. */
export const runs = (all: number): number => (IN_FULL ? all : Math.ceil(all / 4));

export const cases = <A>(all: readonly A[], some: (one: A) => boolean): readonly A[] =>
  IN_FULL ? all : all.filter(some);
