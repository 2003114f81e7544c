import * as E from 'fp-ts/lib/Either.js';
import type { Values } from '../../domain/composition/values.ts';
import { type RenderRequested, SEALED_REQUEST } from '../../domain/render/events.ts';
import { FOLD_VERSION } from '../../domain/render/fold.ts';
import type { Render } from '../../domain/render/render.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { isProgrammingError } from '../../platform/process/programming-error.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import { sealedRequest } from '../../platform/seals/sealed-request.ts';
import type { RenderRequests } from '../../read-models/renders/render-requests.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { environmentFault, type PreparationFault, TransientFault } from './preparation-fault.ts';

export type RenderInput = { readonly values: Values; readonly draft: boolean };

/**
 * Reads values and draft of a request. Rejects with `BlobFault`, and with `TransientFault` if the read model cannot
 * answer.
 */
export type RequestReader = (render: Render, signal: AbortSignal) => Promise<E.Either<PreparationFault, RenderInput>>;

export const REQUEST_MISSING: PreparationFault = {
  code: 'request_missing',
  message: 'values: are no longer in the store',
  field: 'values',
  ours: true,
};

const REQUEST_UNREADABLE: PreparationFault = {
  code: 'request_unreadable',
  message: 'values: can no longer be read',
  field: 'values',
  ours: true,
};

const REQUEST_ERASED: PreparationFault = { code: 'request_erased', message: 'values: were erased', field: 'values' };

export type RequestReaderDependencies = {
  readonly blobs: Pick<BlobStore, 'getPayload'>;
  readonly seals: SealOpener;
  readonly requests: Pick<RenderRequests, 'find'>;
};

export const createRequestReader = ({ blobs, seals, requests }: RequestReaderDependencies): RequestReader => {
  const eventOf = async (render_id: string): Promise<RenderRequested> => {
    try {
      const found = await requests.find(render_id);
      if (found !== null) return found.event;
    } catch (error) {
      if (isProgrammingError(error)) throw error;
      throw new TransientFault('the read model could not be read', 'read_model');
    }
    // The read model had the render when its job was published, so it is behind after a restore.
    throw new TransientFault(`the read model lacks the request of ${render_id}`, 'read_model');
  };

  const fromSeal: RequestReader = async ({ id }, signal) => {
    const sealed = sealedRequest(await eventOf(id));
    if (sealed === null) return E.left(REQUEST_MISSING);
    const opening = await seals.open(sealed, signal);
    switch (opening.state) {
      case 'open':
        return E.right({ values: opening.text.values ?? {}, draft: opening.text.draft === true });
      case 'punctured':
        return E.left(REQUEST_ERASED);
      case 'lost':
        return E.left(REQUEST_MISSING);
    }
  };

  return async (render, signal) => {
    const { request, fold_version } = render;
    // An unknown version may keep its values elsewhere. The render waits for a preparer that knows it.
    if (fold_version > FOLD_VERSION)
      return E.left(environmentFault(`could not be prepared: fold_version ${fold_version} is unknown`, 'machine'));
    if (request === null) return E.right({ values: {}, draft: false });
    if (request.path === SEALED_REQUEST.path) return await fromSeal(render, signal);
    const bytes = await blobs.getPayload(request, signal);
    const payload = RequestPayload.decode(JSON.parse(bytes.toString()));
    if (E.isLeft(payload)) return E.left(REQUEST_UNREADABLE);
    const { values, draft = false } = payload.right;
    return E.right({ values, draft });
  };
};
