import type { RenderRequested } from '../../domain/render/events.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import { sealedRequest } from '../../platform/seals/sealed-request.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import { type RenderDocument, upgradeRender } from '../../read-models/renders/documents.ts';
import { nameHash } from '../../schemas/blobs/salted-name.ts';
import type { FoldedDocument } from '../render/document.ts';
import { type RequestName, readNameFromBlob } from '../render/names.ts';
import { type Difference, documentDifference } from './difference.ts';
import { completeDocument, requestLackingName } from './render-fold.ts';

export type NameSources = {
  /** If it is omitted, a name that the store lacks counts as erased. */
  readonly blobs?: Pick<BlobStore, 'getPayload'>;
  /** If it is omitted, sealed names are not compared. */
  readonly seals?: SealOpener;
  /** Called for a sealed name that cannot be compared, because its key is erased or lost. */
  readonly onUnreadable?: () => void;
};

const storedName = (found: RenderDocument | null): RequestName | null =>
  typeof found?.name === 'string' ? { name: found.name, salt: found.name_salt ?? null } : null;

/** The name in the document if it matches the hash in the log; otherwise the name in Blob. */
const nameInPayload = async (
  request: RenderRequested,
  found: RenderDocument | null,
  blobs: NameSources['blobs'],
): Promise<RequestName | null> => {
  const stored = storedName(found);
  if (stored !== null && stored.salt !== null) {
    const { name, salt } = stored;
    if (nameHash({ name, salt }) === request.name_sha256) return stored;
  }
  return blobs === undefined ? null : await readNameFromBlob(blobs, request);
};

const nameFor = async (
  folded: FoldedDocument,
  found: RenderDocument | null,
  { blobs, seals, onUnreadable }: NameSources,
): Promise<RequestName | null> => {
  const request = requestLackingName(folded);
  if (request === null) return null;
  const sealed = sealedRequest(request);
  if (sealed === null) return await nameInPayload(request, found, blobs);
  const opening = await seals?.open(sealed);
  if (opening?.state === 'open') return { name: opening.text.name, salt: null };
  onUnreadable?.();
  return storedName(found);
};

export const renderDifference = async (
  where: string,
  folded: FoldedDocument,
  found: RenderDocument | null,
  form: DocumentForm,
  sources: NameSources = {},
): Promise<Difference | null> =>
  documentDifference(
    where,
    completeDocument(folded, await nameFor(folded, found, sources), form),
    found === null ? null : upgradeRender(found),
  );
