import type { NamedProject } from '../../domain/catalogue/entities.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { OutputUrlPolicy } from '../../platform/blob-store/signed-output.ts';
import type { Catalogue } from './catalogue.ts';

/** @param version the version of the project that it shows */
export type Thumbnail = { readonly url: string; readonly version: number };

/**
 * Thumbnails with signed URLs by project id. A project without a rendered version has none.
 *
 * @param account_id the account of all these projects
 */
export type Thumbnails = (
  account_id: string,
  projects: readonly NamedProject[],
) => Promise<ReadonlyMap<string, Thumbnail>>;

export const openThumbnails =
  (
    catalogue: Pick<Catalogue, 'thumbnails'>,
    blobs: Pick<BlobStore, 'signedUrl'>,
    policy: Pick<OutputUrlPolicy, 'namedBy'>,
  ): Thumbnails =>
  async (account_id, projects) => {
    if (projects.length === 0) return new Map();
    const named_by = await policy.namedBy(account_id);
    const names = new Map(projects.map((project) => [project.id, project[named_by]]));
    const urls = (await catalogue.thumbnails([...names.keys()])).map(async ({ id, version, path, content_type }) => {
      const file_name = `${names.get(id) ?? id}${path.slice(path.lastIndexOf('.'))}`;
      return [id, { url: await blobs.signedUrl(path, { file_name, content_type }), version }] as const;
    });
    return new Map(await Promise.all(urls));
  };
