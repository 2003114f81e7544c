import { projectVersionId } from '../../domain/catalogue/entities.ts';
import type { CatalogueEventWithTexts } from '../../domain/catalogue/events.ts';
import type { PayloadRef, SaltedPayload } from '../../domain/event/payload.ts';
import type { SaltedBytes } from '../../platform/blob-store/blob-store.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { servingCatalogue } from '../../read-models/catalogue/model.ts';
import { projectNameBytes } from '../../schemas/blobs/payloads.ts';
import { saltedHash } from '../../schemas/blobs/salted-hash.ts';

export type EventWithPayload = Extract<CatalogueEventWithTexts, { type: 'ProjectCreated' | 'ProjectVersionAdded' }> & {
  readonly payload: PayloadRef;
};

/** Payloads that a read model has stored, by path. Payloads that only the blob store has are missing. */
export type StoredTexts = (events: readonly EventWithPayload[]) => Promise<ReadonlyMap<string, SaltedBytes>>;

export const NO_STORED_TEXTS: StoredTexts = async () => new Map();

export const storedTextsOfServing = (db: ReadStore['db'], ownGeneration: number): StoredTexts => {
  const serving = servingCatalogue(db);
  return async (events) => {
    const { generation, entities } = await serving();
    const texts = new Map<string, SaltedBytes>();
    if (generation === ownGeneration || events.length === 0) return texts;
    const created = events.flatMap((event) => (event.type === 'ProjectCreated' ? event.project_id : []));
    const added = events.flatMap((event) =>
      event.type === 'ProjectVersionAdded' ? projectVersionId(event.project_id, event.version) : [],
    );
    const [projects, versions] = await Promise.all([
      entities('project')
        .find({ _id: { $in: created } }, { projection: { created_with: 1 }, ...queryTimeout() })
        .toArray(),
      entities('project_version')
        .find({ _id: { $in: added } }, { projection: { document: 1, payload: 1 }, ...queryTimeout() })
        .toArray(),
    ]);
    const put = ({ path, sha256, salt }: SaltedPayload, bytes: Buffer): void => {
      if (saltedHash(salt, bytes) === sha256) texts.set(path, { bytes, salt });
    };
    for (const { created_with } of projects)
      if (created_with !== undefined) put(created_with, projectNameBytes(created_with.name));
    for (const { document, payload } of versions)
      if (payload !== undefined && document !== null) put(payload, Buffer.from(document, 'utf8'));
    return texts;
  };
};
