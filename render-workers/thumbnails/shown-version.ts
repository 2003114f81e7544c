import { LRUCache } from 'lru-cache';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';

const REMEMBERED = 10_000;

/** Of which version the still is that is shown for a project, as far as that is known here. */
export type ShownVersions = {
  /** Of this version or a newer one; false where that is not to be had: then one is made that the fold may ignore. */
  readonly hasReached: (project_id: string, version: number) => Promise<boolean>;
  /** There is a still of this version in the log. */
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
