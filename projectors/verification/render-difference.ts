import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import { type RenderDocument, upgradeErasure } from '../../read-models/renders/documents.ts';
import { nameHash, type SaltedName } from '../../schemas/blobs/salted-name.ts';
import type { FoldedDocument } from '../render/document.ts';
import { readNameFromBlob } from '../render/names.ts';
import { type Difference, documentDifference } from './difference.ts';
import { completeDocument, requestLackingName } from './render-fold.ts';

type Blobs = Pick<BlobStore, 'getPayload'>;

/** The name in the document if it matches the hash in the log; otherwise the name in Blob. */
const nameFor = async (
  folded: FoldedDocument,
  found: RenderDocument | null,
  blobs: Blobs | undefined,
): Promise<SaltedName | null> => {
  const request = requestLackingName(folded);
  if (request === null) return null;
  const stored =
    typeof found?.name === 'string' && typeof found.name_salt === 'string'
      ? { name: found.name, salt: found.name_salt }
      : null;
  if (stored !== null && nameHash(stored) === request.name_sha256) return stored;
  return blobs === undefined ? null : await readNameFromBlob(blobs, request);
};

export const renderDifference = async (
  where: string,
  folded: FoldedDocument,
  found: RenderDocument | null,
  form: DocumentForm,
  blobs?: Blobs,
): Promise<Difference | null> =>
  documentDifference(
    where,
    completeDocument(folded, await nameFor(folded, found, blobs), form),
    found === null ? null : upgradeErasure(found),
  );
