import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent, RenderRequested } from '../domain/render/events.ts';
import { FOLD_VERSION } from '../domain/render/fold.ts';
import type { VersionedBlobs } from '../platform/blob-store/versioned-blobs.ts';
import { decodeConfiguration } from '../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../platform/configuration/parts.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { openKeyBlobs } from '../platform/seals/open-key-blobs.ts';
import { createSealer } from '../platform/seals/sealer.ts';
import type { Stack } from '../stack/launcher.ts';

/** The key trees of the stack. */
export const benchKeyBlobs = (stack: Stack): VersionedBlobs => {
  const decoded = decodeConfiguration(stack.env, { blob_store: BLOB_STORE });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  return openKeyBlobs(decoded.right.blob_store);
};

/** Moves the name of an event into its seal, as a command API does. */
export const requestSealer = (stack: Stack): ((event: RenderRequested) => Promise<RenderRequested>) => {
  // A tree that was not created ahead is created when it is needed.
  const onFailure = (): void => undefined;
  const sealer = createSealer({ blobs: benchKeyBlobs(stack), clock: SYSTEM_CLOCK, onFailure });
  return async (event) => {
    const sealed = await sealer.seal(event, { name: event.name });
    return { ...event, fold_version: FOLD_VERSION, name: '', sealed };
  };
};

/** One after the other, so that requests to Blob get their turn between the calculations. */
export const sealNames = async <A extends RenderEvent>(
  stack: Stack,
  events: readonly A[],
): Promise<readonly (A | RenderRequested)[]> => {
  const seal = requestSealer(stack);
  const sealed: (A | RenderRequested)[] = [];
  for (const event of events) sealed.push(event.type === 'RenderRequested' ? await seal(event) : event);
  return sealed;
};
