import type { Db } from 'mongodb';
import type { Project } from '../../domain/catalogue/entities.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import type { ProjectThumbnailDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';

/** Fresh URLs of the still of each project, by project id; one of which no version was ever rendered has none. */
export type Thumbnails = (projects: readonly Project[]) => Promise<ReadonlyMap<string, string>>;

/** @param generation the current one of the catalogue */
export const openThumbnails =
  (db: Db, generation: () => Promise<number>, blobs: BlobStore): Thumbnails =>
  async (projects) => {
    if (projects.length === 0) return new Map();
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const { project_thumbnail } = catalogueCollections(await generation()).entities;
    const found = await db
      .collection<ProjectThumbnailDocument>(project_thumbnail)
      .find({ _id: { $in: [...names.keys()] } }, inTime())
      .toArray();
    const urls = found.map(async ({ _id, path, content_type }) => {
      const file_name = `${names.get(_id) ?? _id}${path.slice(path.lastIndexOf('.'))}`;
      return [_id, await blobs.signedUrl(path, { file_name, content_type })] as const;
    });
    return new Map(await Promise.all(urls));
  };
