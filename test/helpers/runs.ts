/** Whether everything is proven (`make test-long`, `make soak-render`), or what the suite takes of it. */
export const IN_FULL = process.env.PROPERTY_RUNS === 'all';

/** Of a property's runs the suite makes a quarter. */
export const runs = (all: number): number => (IN_FULL ? all : Math.ceil(all / 4));

/** Of the cases of a slow table the suite takes some. */
export const cases = <A>(all: readonly A[], some: (one: A) => boolean): readonly A[] =>
  IN_FULL ? all : all.filter(some);
