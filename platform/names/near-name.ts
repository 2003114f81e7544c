import { closestMatch } from 'leven';

/** Half of a short word may be another word. */
const distanceFor = (name: string): number => Math.max(1, Math.min(3, Math.floor(name.length / 3)));

/** The one of these names that a mistyped one is nearest to; null where none is near. Case does not count. */
export const nearName = (name: string, names: readonly string[]): string | null => {
  const low = new Map(names.map((known) => [known.toLowerCase(), known]));
  const near = closestMatch(name.toLowerCase(), [...low.keys()], { maxDistance: distanceFor(name) });
  return near === undefined ? null : (low.get(near) ?? null);
};
