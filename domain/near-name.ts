import { closestMatch } from 'leven';

/** Half of a short word may be another word. */
const distanceFor = (name: string): number => Math.max(1, Math.min(3, Math.floor(name.length / 3)));

/** No name of ours is longer: a longer one is not a slip, and comparing it takes time. */
const LONGEST = 64;

/** Swapped letters are the slip most often made, and two edits. */
const lettersOf = (name: string): string => [...name].toSorted().join('');

/** The one of these names that a mistyped one is nearest to; null where none is near. Case does not count. */
export const nearName = (name: string, names: readonly string[]): string | null => {
  if (name.length > LONGEST) return null;
  const wanted = name.toLowerCase();
  const low = new Map(names.map((known) => [known.toLowerCase(), known]));
  const near =
    closestMatch(wanted, [...low.keys()], { maxDistance: distanceFor(name) }) ??
    [...low.keys()].find((known) => known.length === wanted.length && lettersOf(known) === lettersOf(wanted));
  return near === undefined ? null : (low.get(near) ?? null);
};

/** `; did you mean "headline"?` for a mistyped name; empty where no name is near. */
export const didYouMean = (name: string, names: readonly string[]): string => {
  const near = nearName(name, names);
  return near === null ? '' : `; did you mean "${near}"?`;
};
