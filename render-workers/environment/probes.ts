import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import type { ImpedimentProbes } from './impediments.ts';
import { requireFreeSpace } from './infrastructure-fault.ts';

const A_FEW_BYTES = Buffer.alloc(4_096);

type EnvironmentProbeDependencies = {
  readonly folder: WorkFolder;
  readonly blobs: Pick<BlobStore, 'healthy'>;
  readonly makeRoom: () => Promise<void>;
  readonly least_free_bytes: number;
};

const writable = async ({ folder, makeRoom, least_free_bytes }: EnvironmentProbeDependencies): Promise<boolean> => {
  let own: string | null = null;
  try {
    own = await folder.render('probe');
    await requireFreeSpace(own, makeRoom, least_free_bytes);
    await writeFile(join(own, 'probe'), A_FEW_BYTES);
    return true;
  } catch {
    return false;
  } finally {
    if (own !== null) await rm(own, { recursive: true, force: true }).catch(() => undefined);
  }
};

export const environmentProbes = (parts: EnvironmentProbeDependencies): ImpedimentProbes => ({
  disk: () => writable(parts),
  blob_store: () => parts.blobs.healthy(),
});
