/** Of a property's runs the suite makes a quarter; `make soak-render` makes all (`PROPERTY_RUNS=all`). */
export const runs = (all: number): number => (process.env.PROPERTY_RUNS === 'all' ? all : Math.ceil(all / 4));
