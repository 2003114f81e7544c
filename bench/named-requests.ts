import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { RenderRequested } from '../domain/render/events.ts';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { decodeConfiguration } from '../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../platform/configuration/parts.ts';
import type { RequestedNameCache } from '../read-models/renders/fresh-names.ts';
import { requestPath } from '../schemas/blobs/paths.ts';
import { nameHash, saltedName } from '../schemas/blobs/salted-name.ts';
import type { Stack } from '../stack/launcher.ts';

const STORED_AT_ONCE = 32;

export const requestNameWriter = (
  stack: Stack,
  noted?: Pick<RequestedNameCache, 'note'>,
): ((event: RenderRequested) => Promise<RenderRequested>) => {
  const decoded = decodeConfiguration(stack.env, { blob_store: BLOB_STORE });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const blobs = openBlobStore(decoded.right.blob_store);
  const turn = pLimit(STORED_AT_ONCE);
  return (event) =>
    turn(async () => {
      const salted = saltedName(event.name);
      const payload = { template_id: null, values: {}, name: salted.name, name_salt: salted.salt };
      const bytes = Buffer.from(JSON.stringify(payload));
      await noted?.note(event.render_id, salted);
      const request = await blobs.putPayload(requestPath(event.render_id), bytes, 'application/json');
      return { ...event, fold_version: 3, name: '', request, name_sha256: nameHash(salted) };
    });
};
