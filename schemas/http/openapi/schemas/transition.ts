import { object, shared, text, time } from './scalars.ts';

const FAILURE = object(
  'Why it failed; only of the transition to `failed`.',
  {
    stage: text('Where: for example `preparation`, `dispatch` or `rendering`.'),
    code: text('The kind of fault, for programs; `cancelled` where a client ended it. More kinds may come.'),
    message: text('What was wrong, for a person. Names a field, never its value.'),
    field: text('The key of the template field at fault, where one is.'),
  },
  ['field'],
);

export const TRANSITION = object(
  'One change of status.',
  {
    seq: { type: 'integer', minimum: 1, description: 'Counts the transitions of the render, creation being 1.' },
    status: shared('RenderStatus', 'The status that it changed to.'),
    at: time('When it was recorded'),
    attempt: {
      type: ['integer', 'null'],
      minimum: 1,
      description: 'The attempt that it belongs to, from 1; null where it belongs to none.',
    },
    progress: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'Share that is done; only of the transition to `processing`, and only while the render is there.',
    },
    failure: FAILURE,
  },
  ['progress', 'failure'],
);
