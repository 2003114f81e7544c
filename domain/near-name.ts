import { closestMatch } from 'leven';

/** Half of a short word may be another word. */
const distanceFor = (name: string): number => Math.max(1, Math.min(3, Math.floor(name.length / 3)));

/** No name of ours is longer: a longer one is not a slip, and comparing it takes time. */
const LONGEST = 64;

/** Swapped letters are the slip most often made, and two edits. */
const lettersOf = (name: string): string => [...name].toSorted().join('');

/** `; did you mean "headline"?` for a mistyped name; empty where no name is near. */
export const didYouMean = (name: string, names: readonly string[]): string => {
  if (name.length > LONGEST) return '';
  const wanted = name.toLowerCase();
  const low = new Map(names.map((known) => [known.toLowerCase(), known]));
  const near =
    closestMatch(wanted, [...low.keys()], { maxDistance: distanceFor(name) }) ??
    [...low.keys()].find((known) => known.length === wanted.length && lettersOf(known) === lettersOf(wanted));
  const known = near === undefined ? undefined : low.get(near);
  return known === undefined ? '' : `; did you mean "${known}"?`;
};
