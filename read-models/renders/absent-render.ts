import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { FoundRender } from './render-finder.ts';

const RETRY_AFTER_S = 1;

export const absentRenderError = ({ tag }: Exclude<FoundRender, { readonly tag: 'found' }>): ApiError =>
  tag === 'not_found'
    ? { tag, message: 'there is no such render' }
    : {
        tag: 'unavailable',
        message: 'this render is not known yet: try again in a moment',
        retry_after_s: RETRY_AFTER_S,
      };
