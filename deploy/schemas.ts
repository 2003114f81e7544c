import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import { registerSchemas } from '../platform/records/register.ts';
import type { RegistrySettings } from '../platform/records/registry-api.ts';
import { restoreSchemas } from '../platform/records/restore-schemas.ts';
import { SAVED_SCHEMAS, type SavedSchema } from '../platform/records/saved-schemas.ts';
import { storedSchemaVersions } from '../schemas/avro-history.ts';
import { RECORDS } from '../schemas/records.ts';

const SUBJECTS_AT_ONCE = 4;

export type SchemaDeployment = {
  readonly registered: readonly SavedSchema[];
  /** Number of schemas that the registry had lost and that were restored with their ids. */
  readonly restored: number;
};

/**
 * Registers all schema versions of every record, oldest first, and saves their ids next to the data. Rejects with the
 * registry's reason if a schema would break readers of the log.
 *
 * @param saved ids from an earlier deploy step. An empty registry gets these first, because records carry the ids
 */
export const deploySchemas = async (
  settings: RegistrySettings,
  blobs: BlobStore,
  saved: readonly SavedSchema[] = [],
): Promise<SchemaDeployment> => {
  const { restored } = await restoreSchemas(settings, saved);
  const historyOf = async (subject: string): Promise<readonly SavedSchema[]> => {
    const history: SavedSchema[] = [];
    for (const { version, text } of storedSchemaVersions(subject)) {
      const ids = await registerSchemas(settings, [{ full_name: subject, avro: JSON.parse(text) }]);
      const id = ids.get(subject);
      if (id !== undefined) history.push({ id, subject, version, schema: JSON.stringify(JSON.parse(text)) });
    }
    return history;
  };
  const limit = pLimit(SUBJECTS_AT_ONCE);
  const registered = (await Promise.all(RECORDS.map(({ full_name }) => limit(historyOf, full_name)))).flat();
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  try {
    const file = join(folder, 'schemas.json');
    await writeFile(file, `${JSON.stringify(registered, null, 2)}\n`);
    await blobs.upload(SAVED_SCHEMAS, file, { content_type: 'application/json' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { registered, restored: restored.length };
};
