import type { Segment } from '../plan/render-plan.ts';
import { hasAllParts, type PartFiles, partKeys } from './cached-parts.ts';
import type { Helpers } from './helpers.ts';
import type { Claimant } from './part-claims.ts';

export type PartStates = ReturnType<typeof openPartStates>;

/** @param parts the present parts by key; parts added later count too */
export const openPartStates = (
  parts: PartFiles,
  helpers: Pick<Helpers, 'isTaken' | 'isStored'>,
  claimant: Pick<Claimant, 'isStored' | 'claimOfAnother'>,
) => {
  /** Segments reported as stored that the cache did not have. */
  const not_found = new Set<number>();
  const missingKeys = (segment: Segment): readonly string[] => partKeys(segment).filter((key) => !parts.has(key));
  const missesOnly = (segment: Segment, matches: (key: string) => boolean): boolean => {
    const keys = missingKeys(segment);
    return keys.length > 0 && keys.every(matches);
  };
  const isClaimed = (segment: Segment): boolean =>
    missesOnly(segment, (key) => claimant.isStored(key) || claimant.claimOfAnother(key) !== null);
  return {
    missingKeys,
    isPresent: hasAllParts(parts),
    isStored: (segment: Segment): boolean =>
      !not_found.has(segment.index) && (helpers.isStored(segment.index) || missesOnly(segment, claimant.isStored)),
    isClaimed,
    isTaken: (segment: Segment): boolean =>
      !not_found.has(segment.index) && (helpers.isTaken(segment.index) || isClaimed(segment)),
    claimOf: (segment: Segment): object | null => {
      const [key] = missingKeys(segment);
      return key === undefined ? null : claimant.claimOfAnother(key);
    },
    /** From now on the segment counts as neither stored nor taken. */
    notFound: (segment: Segment): void => void not_found.add(segment.index),
  };
};
