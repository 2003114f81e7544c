import type { Render } from '../../domain/render/render.ts';
import { type RenderResource, renderResource } from '../../schemas/http/render-resource.ts';
import type { OutputOf } from '../ports.ts';

/**
 * The render as it then was, for a body.
 *
 * @param name that it has now; null where it was erased: then there is no body
 */
export const namedResource = async (
  outputOf: OutputOf,
  render: Render,
  name: string | null,
  stop: AbortSignal,
): Promise<RenderResource | null> => {
  if (name === null) return null;
  const named = { ...render, name };
  return renderResource(named, await outputOf(named, stop));
};
