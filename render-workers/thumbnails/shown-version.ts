import { LRUCache } from 'lru-cache';
import { inTime } from '../../platform/read-store/in-time.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { ProjectThumbnailDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import { generationPointer } from '../../read-models/generations.ts';

const REMEMBERED = 10_000;

/** Of which version the still is that is shown for a project, as far as that is known here. */
export type ShownVersions = {
  /** Of this version or a newer one; false where that is not to be had: then one is made that the fold may ignore. */
  readonly hasReached: (project_id: string, version: number) => Promise<boolean>;
  /** There is a still of this version in the log. */
  readonly made: (project_id: string, version: number) => void;
};

export const openShownVersions = ({ db }: ReadStore): ShownVersions => {
  const generation = generationPointer(db, 'catalogue');
  const known = new LRUCache<string, number>({ max: REMEMBERED });
  const read = async (_id: string): Promise<number> => {
    const { project_thumbnail } = catalogueCollections(await generation()).entities;
    const found = await db
      .collection<ProjectThumbnailDocument>(project_thumbnail)
      .findOne({ _id }, { projection: { version: 1 }, ...inTime() });
    return found?.version ?? 0;
  };
  const made = (project_id: string, version: number): void => {
    known.set(project_id, Math.max(version, known.get(project_id) ?? 0));
  };
  return {
    hasReached: async (project_id, version) => {
      if ((known.get(project_id) ?? 0) >= version) return true;
      const shown = await read(project_id).catch(() => 0);
      made(project_id, shown);
      return shown >= version;
    },
    made,
  };
};
