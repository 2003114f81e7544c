import type { ShownProject } from '../../domain/catalogue/entities.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Catalogue } from './catalogue.ts';

/** Fresh URLs of the thumbnails, by project id. A project of which no version was rendered yet has none. */
export type Thumbnails = (projects: readonly ShownProject[]) => Promise<ReadonlyMap<string, string>>;

export const openThumbnails =
  (catalogue: Pick<Catalogue, 'thumbnails'>, blobs: BlobStore): Thumbnails =>
  async (projects) => {
    if (projects.length === 0) return new Map();
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const urls = (await catalogue.thumbnails([...names.keys()])).map(async ({ id, path, content_type }) => {
      const file_name = `${names.get(id) ?? id}${path.slice(path.lastIndexOf('.'))}`;
      return [id, await blobs.signedUrl(path, { file_name, content_type })] as const;
    });
    return new Map(await Promise.all(urls));
  };
