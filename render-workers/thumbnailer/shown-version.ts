import { LRUCache } from 'lru-cache';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';

const REMEMBERED = 10_000;

/** The project version that the current thumbnail shows. */
export type ShownVersions = {
  /** Whether the thumbnail is of this version or a newer one. False if the store does not answer: the fold ignores a repeat. */
  readonly hasReached: (project_id: string, version: number) => Promise<boolean>;
  /** The log has a thumbnail of this version. */
  readonly made: (project_id: string, version: number) => void;
};

export const openShownVersions = (catalogue: Pick<Catalogue, 'thumbnailVersion'>): ShownVersions => {
  const known = new LRUCache<string, number>({ max: REMEMBERED });
  const made = (project_id: string, version: number): void => {
    known.set(project_id, Math.max(version, known.get(project_id) ?? 0));
  };
  return {
    hasReached: async (project_id, version) => {
      if ((known.get(project_id) ?? 0) >= version) return true;
      const shown = await catalogue.thumbnailVersion(project_id).catch(() => 0);
      made(project_id, shown);
      return shown >= version;
    },
    made,
  };
};
