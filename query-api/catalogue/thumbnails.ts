import type { Db } from 'mongodb';
import type { Project } from '../../domain/catalogue/entities.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { renderCollections } from '../../schemas/read-models/collections.ts';
import type { ProjectStillDocument } from '../../schemas/read-models/render-document.ts';

/** Fresh URLs of the newest still of each project, by project id; what was never rendered has none. */
export type Thumbnails = (projects: readonly Project[]) => Promise<ReadonlyMap<string, string>>;

/** @param generation the current one of the renders */
export const openThumbnails =
  (db: Db, generation: () => Promise<number>, blobs: BlobStore): Thumbnails =>
  async (projects) => {
    if (projects.length === 0) return new Map();
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const stills = db.collection<ProjectStillDocument>(renderCollections(await generation()).stills);
    const found = await stills.find({ project_id: { $in: [...names.keys()] } }, inTime()).toArray();
    const newest = new Map<string, ProjectStillDocument>();
    for (const still of found) {
      const before = newest.get(still.project_id);
      if (before === undefined || before.completed_at < still.completed_at) newest.set(still.project_id, still);
    }
    const urls = [...newest.values()].map(async ({ project_id, path, content_type }) => {
      const file_name = `${names.get(project_id) ?? project_id}${path.slice(path.lastIndexOf('.'))}`;
      return [project_id, await blobs.signedUrl(path, { file_name, content_type })] as const;
    });
    return new Map(await Promise.all(urls));
  };
