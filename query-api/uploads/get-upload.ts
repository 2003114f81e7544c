import * as E from 'fp-ts/lib/Either.js';
import { type FindUploadDependencies, findUpload } from '../../catalogue/uploads/find-upload.ts';
import { type ShowUploadDependencies, uploadReply } from '../../catalogue/uploads/show-upload.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { privateReply } from '../../platform/http-server/private-reply.ts';
import { notFoundError } from '../absent.ts';

export type GetUploadDependencies = FindUploadDependencies &
  ShowUploadDependencies & { readonly blobs: Pick<BlobStore, 'readText' | 'signedUrl'> };

export const getUpload =
  (parts: GetUploadDependencies): AuthenticatedHandler =>
  async ({ params }, access) => {
    const upload = await findUpload(parts, access, params.id ?? '');
    return upload === null ? notFoundError('upload', 'id') : E.map(privateReply)(await uploadReply(parts, upload));
  };
