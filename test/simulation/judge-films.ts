import type { Render } from '../../domain/render/render.ts';
import { finalCompositionOf } from '../../render-workers/worker/final-composition.ts';
import type { BlobServer } from './blobs.ts';
import { masterBytes } from './machine/engine.ts';

/**
 * Checks that the stored master of a render follows from its own composition; null if it does, or if its blobs are
 * gone.
 */
export const filmFault = ({ blobs }: BlobServer, { prepared, outputs }: Render): string | null => {
  const composition = blobs.get(prepared?.composition.path ?? '');
  const master = outputs.find(({ variant }) => variant === 'master');
  if (master === undefined) return 'has no master';
  const stored = blobs.get(master.path);
  if (composition === undefined || stored === undefined) return null;
  const wanted = masterBytes(finalCompositionOf(composition));
  return stored.equals(wanted) ? null : `has ${JSON.stringify(String(stored))}, not ${JSON.stringify(String(wanted))}`;
};
