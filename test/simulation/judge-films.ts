import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import type { Render } from '../../domain/render/render.ts';
import { finalCompositionOf } from '../../render-workers/worker/final-composition.ts';
import type { BlobServer } from './blobs.ts';
import { COLOUR_KEY, DEFAULT_COLOUR } from './catalogue.ts';
import type { OrderBody } from './clients.ts';
import { masterBytes } from './machine/engine.ts';

/** Whether the composition has the values and the quality of the request. */
const isAsPosted = ({ composition, variants }: FinalComposition, { values, draft }: OrderBody): boolean => {
  const bar = composition.layers.find(({ id }) => id === 'bar');
  const is_draft = variants.some(({ quality }) => quality === 'draft');
  return bar?.type === 'shape' && bar.color === (values[COLOUR_KEY] ?? DEFAULT_COLOUR) && is_draft === draft;
};

/**
 * Checks that the composition of a render follows from its request, and the stored master from the composition. Null if
 * both do, or if a blob is gone.
 */
export const filmFault = (
  { blobs }: BlobServer,
  { prepared, outputs }: Render,
  posted: OrderBody | undefined,
): string | null => {
  const composition = blobs.get(prepared?.composition.path ?? '');
  const master = outputs.find(({ variant }) => variant === 'master');
  if (master === undefined) return 'has no master';
  const stored = blobs.get(master.path);
  if (composition === undefined || stored === undefined) return null;
  const final = finalCompositionOf(composition);
  if (posted === undefined || !isAsPosted(final, posted)) return `is not of ${JSON.stringify(posted)}`;
  const wanted = masterBytes(final);
  return stored.equals(wanted) ? null : `has ${JSON.stringify(String(stored))}, not ${JSON.stringify(String(wanted))}`;
};
