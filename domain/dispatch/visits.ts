/** A turn visits a share of a set, so that each member has its turn once a second. */
const ALL_WITHIN_MS = 1_000;
const MIN_VISITED = 50;
const MAX_VISITED = 1_000;

/** How many members of a set to visit, given the time since the last turn. */
export const visitCount = ({ size }: Set<string>, passed_ms: number): number =>
  Math.min(MAX_VISITED, Math.max(MIN_VISITED, Math.ceil((size * passed_ms) / ALL_WITHIN_MS)));

/**
 * The next wanted members, at most `most_found` among the next `most_seen`. The visited members move to the end of the
 * set, so the next call continues after them.
 */
export const takeNextMembers = (
  members: Set<string>,
  most_seen: number,
  most_found: number,
  isWanted: (member: string) => boolean,
): readonly string[] => {
  const seen: string[] = [];
  const found: string[] = [];
  for (const member of members) {
    if (seen.length >= most_seen || found.length >= most_found) break;
    seen.push(member);
    if (isWanted(member)) found.push(member);
  }
  for (const member of seen) {
    members.delete(member);
    members.add(member);
  }
  return found;
};
