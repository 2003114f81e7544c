import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import type { InputFault } from '../error-codes.ts';
import {
  definitionsOf,
  integer,
  isObject,
  namedShape,
  number,
  oneOf,
  optional,
  resource,
  text,
  withKeywords,
} from '../shapes.ts';
import type { PublicOperation } from './operation.ts';
import { DOCUMENT_EXAMPLE, Document, OF_BODY } from './project-changes.ts';
import { decodeTemplated, TemplateId, ValuesMember } from './render-request.ts';
import { headers, keyedRefusal, NO_PROJECT, RATE_HEADERS, refusal } from './responses.ts';
import { readCodeSamples } from './samples/code-samples.ts';

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

export const STILL_BODY_MEMBERS: readonly string[] = Object.keys(StillRequest.members);

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

const Picture = namedShape('Picture', withKeywords(text('The bytes of a picture.'), { format: 'binary' }));

export const STILL_SCHEMAS = definitionsOf([StillFormat, StillRequest, Picture]);

const PICTURE = { schema: Picture.schema };

export const STILL_CONTENT = { 'image/jpeg': PICTURE, 'image/webp': PICTURE };

export const STILL_EXAMPLE = {
  ...{ project_id: 'proj_01KAJWZK3H', template_id: 'tpl_sale', values: { headline: 'Only this week' } },
  ...{ time_s: 1.5, width: 640, format: 'jpeg' },
};

export const STILLS = {
  'POST /v1/stills': {
    ...{ id: 'drawStill', tag: 'Renders', summary: 'Draw one frame' },
    description:
      'Returns one frame as a picture: the one that a render would show at this time, before it is encoded. It costs no credits, stores nothing and appears in no list. Any key draws the projects that it reaches; a document in `project` needs the scope `projects:write`. The values have the same rules as those of a render, except that a URL is refused: upload the file, and use the ID of the upload. The stills of an account are limited, over all its keys and sessions.',
    body: {
      shape: StillRequest,
      examples: {
        project: ['A project with values', STILL_EXAMPLE],
        document: ['A document', { project: DOCUMENT_EXAMPLE, time_s: 0.5 }],
      },
    },
    answers: {
      200: {
        description: 'The picture.',
        headers: headers('Cache-Control', ...RATE_HEADERS, 'Ignored-Members', 'Ignored-Values', 'Ignored-Parameters'),
        content: STILL_CONTENT,
      },
      400: refusal('The request, a value or the document is not valid.', {
        late: ['After the end', 'time_s: must be less than 2 s, the length of the video', 'invalid_field', 'time_s'],
      }),
      403: keyedRefusal('The request has a document, and the key lacks the scope.', {
        scope: [
          'No scope',
          'this API key lacks the scope projects:write; create a key with this scope in the dashboard or with renderctl',
          'scope_needed',
        ],
      }),
      404: NO_PROJECT,
      409: keyedRefusal('The file of an asset is missing or damaged. A render would fail too.', {
        lost: [
          'A lost file',
          'project_id: the file of the asset "logo" (logo.png) is lost; upload it again, and add a version with it',
          ...(['asset_lost', 'project_id'] as const),
        ],
      }),
      ...OF_BODY,
    },
    samples: readCodeSamples('draw-still'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
