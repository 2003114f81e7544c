import { LIMITS } from '../../../../domain/composition/limits.ts';
import { NAME_PATTERN } from '../../../../domain/shape/text-rules.ts';
import type { Schema } from '../form.ts';
import {
  object,
  orNull,
  PROJECT_ID,
  RENDER_ID,
  shared,
  sharedOrNull,
  TEAM_ID,
  text,
  time,
  USER_ID,
} from './scalars.ts';

const OUTPUT: Schema = {
  type: 'object',
  description:
    'There exactly when the render is complete: for each variant of the video a signed URL that is good for a limited time (24 hours unless the service is configured otherwise). `master` is always among them. Read the render again for fresh ones.',
  required: ['master'],
  properties: { master: { type: 'string', format: 'uri', description: 'The video in full size.' } },
  additionalProperties: { type: 'string', format: 'uri' },
};

export const RENDER = object(
  'One video, made or to be made from a project.',
  {
    id: RENDER_ID,
    name: { ...text('As given when it was created.'), minLength: 1, maxLength: LIMITS.name },
    status: shared('RenderStatus', 'How far it is. `complete` and `failed` are final.'),
    type: shared('RenderType', 'Where it is rendered.'),
    project: object('What is rendered.', { id: PROJECT_ID, team: TEAM_ID }),
    output: OUTPUT,
    created_by: orNull(USER_ID, 'The user whose key created it; null where the key is of no user.'),
    created_at: time('When it was created'),
    updated_at: orNull(time(''), 'When its status last changed, in milliseconds since the epoch; null until it has.'),
  },
  ['output'],
);

export const RENDER_REQUEST: Schema = {
  type: 'object',
  description: 'What to render. Members that are not listed here are ignored.',
  required: ['name', 'project_id'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: LIMITS.name,
      pattern: NAME_PATTERN,
      description:
        'What to call it, its length in code points: one line, without control characters and without those that turn the direction of text (U+202A to U+202E, U+2066 to U+2069). Marks of direction (U+200E, U+200F, U+061C) and joiners are allowed. Renders that were created before names had to be so keep theirs.',
    },
    project_id: {
      type: 'string',
      minLength: 1,
      description: 'A project that the key reaches. It is taken as it is now.',
    },
    template_id: {
      type: ['string', 'null'],
      minLength: 1,
      description: 'A template that the project defines. Without one the project is rendered as it stands.',
    },
    values: sharedOrNull('Values', 'Values for the fields of the template; null as left out.'),
    draft: {
      type: ['boolean', 'null'],
      description:
        'A small video to look at first, which is ready sooner and costs less: the same film in about as many pixels as 640 x 360 has, as H.264, without variants and preview. Its price is that of its size. Lines of text may break at other words. null as left out.',
    },
  },
};

export const VALUES: Schema = {
  type: 'object',
  maxProperties: LIMITS.values,
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: LIMITS.text },
  description: `By key of a template field. A number or a boolean counts as its text; CR LF and CR are newlines; null as left out, and what is left out takes the \`default_value\`; keys that the template lacks are ignored, and named in the header \`Ignored-Values\` of the answer. At most ${LIMITS.values} entries of ${LIMITS.text} characters, ${LIMITS.values_bytes / 1024} KiB together. Only with a \`template_id\`.`,
};
