import { isErased } from '../../domain/render/render.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import type { PendingName } from '../../read-models/pending-texts.ts';
import { upgradeRender } from '../../read-models/renders/documents.ts';
import type { RenderCollections } from '../../read-models/renders/model.ts';
import { queryFields, tokensOf } from '../../read-models/renders/query-fields.ts';
import type { Session } from '../checkpoint/projection.ts';
import type { FillPendingDependencies } from '../pending-texts/fill-pending.ts';
import { nameFromPayload, nameFromSeal, type RequestName } from './names.ts';

export const pendingRenderNames = (
  { renders, pending, checkpoints }: RenderCollections,
  form: DocumentForm,
  blobs: Pick<BlobStore, 'getPayload'>,
  seals: SealOpener,
): Pick<
  FillPendingDependencies<PendingName, RequestName | null>,
  'pending' | 'checkpoints' | 'read' | 'fill' | 'what'
> => {
  const read = async (
    { payload, name_sha256, sealed }: PendingName,
    signal: AbortSignal,
  ): Promise<RequestName | null> =>
    sealed === undefined
      ? nameFromPayload(await blobs.getPayload(payload, signal), name_sha256)
      : nameFromSeal(await seals.open(sealed, signal));
  const fill = async ({ _id }: PendingName, named: RequestName | null, session: Session): Promise<void> => {
    const found = await renders.findOne({ _id }, { session });
    if (named === null || found === null || found.render === null) return;
    const document = upgradeRender(found);
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
    read,
    fill,
    what: 'the name of a request',
  };
};
