import leven from 'leven';

/** Half of a short word may be another word. */
const distanceFor = (name: string): number => Math.max(1, Math.min(3, Math.floor(name.length / 3)));

/** No name of ours is longer: a longer one is not a slip, and comparing it takes time. */
const LONGEST = 64;

/** How often each character occurs: what two words have in common, whatever its order. */
const lettersOf = (name: string): ReadonlyMap<string, number> => {
  const letters = new Map<string, number>();
  for (const letter of name) letters.set(letter, (letters.get(letter) ?? 0) + 1);
  return letters;
};

/** How many letters of a word the other one lacks: no fewer edits make the one of the other. */
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
 * The one of these names that a mistyped one is nearest to; null where none is near. Case does not count. Swapped letters
 * are the slip most often made, and two edits: the same letters in another order are near, too.
 */
export const nearName = (name: string, names: readonly string[]): string | null => {
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
    // The distance is cut at one more than may be.
    const distance = leven(wanted, low, { maxDistance: most + 1 });
    if (distance <= most && (near === null || distance < near.distance)) near = { known, distance };
  }
  return near?.known ?? swapped;
};

/** `; did you mean "headline"?` for a mistyped name; empty where no name is near. */
export const didYouMean = (name: string, names: readonly string[]): string => {
  const near = nearName(name, names);
  return near === null ? '' : `; did you mean "${near}"?`;
};
