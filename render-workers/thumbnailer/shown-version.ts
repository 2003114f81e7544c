import { LRUCache } from 'lru-cache';
import { generationPointer } from '../../platform/read-store/generation-pointer.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { ProjectThumbnailDocument } from '../../schemas/read-models/catalogue-document.ts';
import { catalogueCollections } from '../../schemas/read-models/collections.ts';

const REMEMBERED = 10_000;

/** The project version that the current thumbnail shows. */
export type ShownVersions = {
  /** Whether the thumbnail is of this version or a newer one. False if the store does not answer: the fold ignores a repeat. */
  readonly hasReached: (project_id: string, version: number) => Promise<boolean>;
  /** The log has a thumbnail of this version. */
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
