import { isErased } from '../../domain/render/render.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import type { PendingName } from '../../read-models/pending-texts.ts';
import { upgradeErasure } from '../../read-models/renders/documents.ts';
import type { RenderCollections } from '../../read-models/renders/model.ts';
import { queryFields, tokensOf } from '../../read-models/renders/query-fields.ts';
import type { Session } from '../checkpoint/projection.ts';
import type { FillPendingDependencies } from '../pending-texts/fill-pending.ts';
import { nameFromPayload } from './names.ts';

export const pendingRenderNames = (
  { renders, pending, checkpoints }: RenderCollections,
  form: DocumentForm,
  blobs: Pick<BlobStore, 'getPayload'>,
): Pick<FillPendingDependencies<PendingName, Buffer>, 'pending' | 'checkpoints' | 'read' | 'fill' | 'what'> => {
  const fill = async ({ _id, name_sha256 }: PendingName, bytes: Buffer, session: Session): Promise<void> => {
    const named = nameFromPayload(bytes, name_sha256);
    const found = await renders.findOne({ _id }, { session });
    if (named === null || found === null || found.render === null) return;
    const document = upgradeErasure(found);
    if (document.render === null || isErased(document.render)) return;
    const own = { name: named.name, name_salt: named.salt };
    const shown = { ...document, ...own };
    const search = [...form.renderTokens(shown, tokensOf(shown))];
    const changed = { ...own, ...queryFields(shown), ...form.renderMembers(shown), search };
    await renders.updateOne({ _id }, { $set: changed }, { session });
  };
  return {
    pending,
    checkpoints,
    read: ({ payload }, signal) => blobs.getPayload(payload, signal),
    fill,
    what: 'the payload of a request',
  };
};
