import leven from 'leven';

/**
 * The maximum edit distance of a near name. It is lower for short names, because half of a short name may be a
 * different word.
 */
const distanceFor = (name: string): number => Math.max(1, Math.min(3, Math.floor(name.length / 3)));

/** All known names are shorter. A longer name is no typing error, and its comparison is slow. */
const LONGEST = 64;

const lettersOf = (name: string): ReadonlyMap<string, number> => {
  const letters = new Map<string, number>();
  for (const letter of name) letters.set(letter, (letters.get(letter) ?? 0) + 1);
  return letters;
};

/** A lower bound of the edit distance: the number of letters of a name that the other one lacks. */
const lacking = (letters: ReadonlyMap<string, number>, name: string): number => {
  const left = new Map(letters);
  let lacks = 0;
  for (const letter of name) {
    const count = left.get(letter) ?? 0;
    if (count === 0) lacks += 1;
    else left.set(letter, count - 1);
  }
  return lacks;
};

/**
 * The name that is nearest to a mistyped one; null if none is near. Case does not count. Swapped letters are the most
 * frequent error but cost two edits, so names with the same letters are near too.
 */
export const closestName = (name: string, names: readonly string[]): string | null => {
  if (name.length > LONGEST) return null;
  const wanted = name.toLowerCase();
  const letters = lettersOf(wanted);
  const most = distanceFor(name);
  let near: { readonly known: string; readonly distance: number } | null = null;
  let swapped: string | null = null;
  for (const known of names) {
    const low = known.toLowerCase();
    if (Math.abs(low.length - wanted.length) > most) continue;
    const lacks = lacking(letters, low);
    if (lacks > most) continue;
    if (lacks === 0 && low.length === wanted.length) swapped ??= known;
    const distance = leven(wanted, low, { maxDistance: most + 1 });
    if (distance <= most && (near === null || distance < near.distance)) near = { known, distance };
  }
  return near?.known ?? swapped;
};

export const didYouMean = (name: string, names: readonly string[]): string => {
  const near = closestName(name, names);
  return near === null ? '' : `; did you mean "${near}"?`;
};
