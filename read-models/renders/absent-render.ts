import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { FoundRender } from './render-finder.ts';

const RETRY_AFTER_S = 1;

/** @param param the parameter of the path with the ID, if the caller knows it */
export const absentRenderError = (
  { tag }: Exclude<FoundRender, { readonly tag: 'found' }>,
  param?: string,
): ApiError =>
  tag === 'not_found'
    ? { tag, ...(param !== undefined && { param }), message: 'there is no such render' }
    : {
        ...{ tag: 'unavailable', code: 'not_known_yet' },
        message: 'this render is not known yet: try again in a moment',
        retry_after_s: RETRY_AFTER_S,
      };
