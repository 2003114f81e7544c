import { BlobServiceClient } from '@azure/storage-blob';
import type { BlobSettings } from './azure-blob-store.ts';
import { mapToBlobFault } from './azure-faults.ts';
import { withIdleTimeout } from './idle-timeout.ts';

const IDLE_MS = 5_000;

/** Copies that the store keeps of deleted and replaced blobs. An erasure does not remove them. */
export type KeptCopies = {
  /** How long deleted blobs can be restored; null without soft delete. */
  readonly soft_delete_days: number | null;
  /** False also if the container has no blobs, because only blobs show their versions. */
  readonly has_versions: boolean;
};

/** Needs permission for the properties of the account. Rejects with `BlobFault`. */
export const readKeptCopies = ({
  connection_string,
  container,
}: Pick<BlobSettings, 'connection_string' | 'container'>): Promise<KeptCopies> => {
  const service = BlobServiceClient.fromConnectionString(connection_string, { retryOptions: { maxTries: 1 } });
  return mapToBlobFault(container, () =>
    withIdleTimeout(IDLE_MS, undefined, async ({ abortSignal }) => {
      const { deleteRetentionPolicy: policy } = await service.getProperties({ abortSignal });
      const blobs = service.getContainerClient(container).listBlobsFlat({ includeVersions: true, abortSignal });
      const { value: page } = await blobs.byPage({ maxPageSize: 1 }).next();
      const [first] = page?.segment.blobItems ?? [];
      return {
        soft_delete_days: policy?.enabled === true ? (policy.days ?? 0) : null,
        has_versions: first?.versionId !== undefined,
      };
    }),
  );
};
