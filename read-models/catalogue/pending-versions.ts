import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { CatalogueCollections } from './model.ts';

export const pendingVersions = async (
  { pending }: Pick<CatalogueCollections, 'pending'>,
  project_id: string,
): Promise<readonly number[]> =>
  (await pending.find({ project_id }, { projection: { version: 1 }, ...queryTimeout() }).toArray()).map(
    ({ version }) => version,
  );

/** Rejects if the document of a version is pending. The version exists, so the API must not answer 404. */
export const rejectPendingVersion = async (
  model: Pick<CatalogueCollections, 'pending'>,
  project_id: string,
  version: number,
): Promise<void> => {
  if (!(await pendingVersions(model, project_id)).includes(version)) return;
  const id = projectVersionId(project_id, version);
  throw new BlobFault('unavailable', id, `the blob store has not served the document of ${id} yet`);
};
