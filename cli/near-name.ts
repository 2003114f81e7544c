import { closestMatch } from 'leven';

/** Half of a short word may be another word. */
const distanceFor = (name: string): number => Math.max(1, Math.min(3, Math.floor(name.length / 3)));

/** `; did you mean "headline"?` for a mistyped name; empty where no name is near. */
export const didYouMean = (name: string, names: readonly string[]): string => {
  const low = new Map(names.map((known) => [known.toLowerCase(), known]));
  const near = closestMatch(name.toLowerCase(), [...low.keys()], { maxDistance: distanceFor(name) });
  const known = near === undefined ? undefined : low.get(near);
  return known === undefined ? '' : `; did you mean "${known}"?`;
};
