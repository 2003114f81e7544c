import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import type { InputFault } from '../error-codes.ts';
import { definitionsOf, integer, isObject, namedShape, number, oneOf, optional, resource, text } from '../shapes.ts';
import { Document } from './project-changes.ts';
import { decodeTemplated, TemplateId, ValuesMember } from './render-request.ts';

const MAX_ID_UNITS = 128;

const StillFormat = namedShape('StillFormat', oneOf(['jpeg', 'webp'], 'The format of the picture.'));

export const StillRequest = resource('StillRequest', 'One frame of a project or of a document.', {
  project_id: optional(
    text('', { minLength: 1, max_units: MAX_ID_UNITS }),
    'A project, in its newest version. Either this or `project`.',
  ),
  project: optional(Document, 'A document. Nothing of it is stored.'),
  template_id: TemplateId,
  values: ValuesMember,
  time_s: optional(
    number('', { minimum: 0, maximum: LIMITS.duration_s }),
    'The time of the frame in the video, in seconds. By default that of the poster.',
  ),
  width: optional(
    integer('', { minimum: 16, maximum: LIMITS.side }),
    'The width of the picture, in pixels. By default that of the video, and never more.',
  ),
  format: optional(
    StillFormat,
    'The format of the picture. By default `webp` if the header `Accept` names `image/webp`, otherwise `jpeg`.',
  ),
});
export type StillRequest = t.TypeOf<typeof StillRequest>;

const isGiven = (member: unknown): boolean => member !== undefined && member !== null;

export const decodeStill = (body: unknown): E.Either<InputFault, StillRequest> => {
  const fault = (param: string, message: string): E.Either<InputFault, never> =>
    E.left({ code: 'invalid_field', param, message: `${param}: ${message}` });
  if (isObject(body) && isGiven(body.project) && isGiven(body.project_id))
    return fault('project', 'must not be sent together with project_id');
  if (isObject(body) && !isGiven(body.project) && !isGiven(body.project_id))
    return fault('project_id', 'is required, as a string, or project, as an object');
  return decodeTemplated(StillRequest, body);
};

export const STILL_SCHEMAS = definitionsOf([StillFormat, StillRequest]);

const PICTURE = { schema: { type: 'string', format: 'binary' } } as const;

export const STILL_CONTENT = { 'image/jpeg': PICTURE, 'image/webp': PICTURE };

export const STILL_EXAMPLE = {
  ...{ project_id: 'proj_01KAJWZK3H', template_id: 'tpl_sale', values: { headline: 'Only this week' } },
  ...{ time_s: 1.5, width: 640, format: 'jpeg' },
};
