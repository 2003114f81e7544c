/** Whether everything is proven (`make test-long`, `make soak-render`), or what the suite takes of it. */
export const IN_FULL = process.env.PROPERTY_RUNS === 'all';

/** The suite makes a quarter of the runs of a property. */
export const runs = (all: number): number => (IN_FULL ? all : Math.ceil(all / 4));

/** The suite takes some cases of a slow table. */
export const cases = <A>(all: readonly A[], some: (one: A) => boolean): readonly A[] =>
  IN_FULL ? all : all.filter(some);
