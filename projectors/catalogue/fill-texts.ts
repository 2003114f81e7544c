import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { fillText, type ProjectText } from '../../domain/catalogue/fill-text.ts';
import type { BlobStore, SaltedBytes } from '../../platform/blob-store/blob-store.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { documentOfEntity, entityOfDocument, projectOf } from '../../read-models/catalogue/codec.ts';
import { catalogueCollectionsIn } from '../../read-models/catalogue/model.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import type { PendingProjectText } from '../../read-models/pending-texts.ts';
import type { Session } from '../checkpoint/projection.ts';
import type { FillPendingDependencies } from '../pending-texts/fill-pending.ts';
import { payloadContentOf } from './payload-texts.ts';

const textOf = ({ version, payload }: PendingProjectText, read: SaltedBytes): ProjectText | null => {
  const content = payloadContentOf(version === 0 ? 'name' : 'document', read);
  if (content === null) return null;
  const salted = { ...payload, salt: read.salt };
  const { name, document, document_sha256 } = content;
  return version === 0
    ? { tag: 'name', name, payload: salted }
    : { tag: 'document', name, document, document_sha256, payload: salted };
};

export const pendingProjectTexts = (
  db: ReadStore['db'],
  generation: number,
  form: DocumentForm,
  blobs: Pick<BlobStore, 'getSaltedPayload'>,
): Pick<
  FillPendingDependencies<PendingProjectText, SaltedBytes>,
  'pending' | 'checkpoints' | 'read' | 'fill' | 'what'
> => {
  const { entities, pending, checkpoints } = catalogueCollectionsIn(db, generation);
  const [projects, versions] = [entities('project'), entities('project_version')];

  const fill = async (row: PendingProjectText, read: SaltedBytes, session: Session): Promise<void> => {
    const text = textOf(row, read);
    if (text === null) return;
    const project = await projects.findOne({ _id: row.project_id }, { session });
    const _id = projectVersionId(row.project_id, row.version);
    const version = row.version === 0 ? null : await versions.findOne({ _id }, { session });
    const of_version = version === null ? null : entityOfDocument(version);
    const filled = fillText(
      project === null ? null : projectOf(project),
      of_version?.kind === 'project_version' ? of_version : null,
      text,
    );
    // The offsets stay, because no event changed the documents.
    for (const [entity, before] of [
      [filled.project, project],
      [filled.version, version],
    ] as const) {
      if (entity === null || before === null) continue;
      const { _id, ...replacement } = form.entity(documentOfEntity(entity, before.offset));
      await db
        .collection<{ _id: string }>(entities(entity.kind).collectionName)
        .replaceOne({ _id }, replacement, { session });
    }
  };

  return {
    pending,
    checkpoints,
    read: ({ payload }, signal) => blobs.getSaltedPayload(payload, signal),
    fill,
    what: 'the payload of a project',
  };
};
