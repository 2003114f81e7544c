import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { Fault } from '../../../domain/composition/fault.ts';
import type { ShownTimes } from '../../../domain/composition/layer-times.ts';
import type { InputFault } from '../error-codes.ts';
import {
  boolean,
  count,
  definitionsOf,
  isObject,
  listOf,
  number,
  object,
  optional,
  orNull,
  resource,
  text,
} from '../shapes.ts';
import { jsonResponse, type PublicOperation } from './operation.ts';
import { DOCUMENT_EXAMPLE, Document, OF_BODY } from './project-changes.ts';
import { Draft, decodeTemplated, TemplateId, ValuesMember } from './render-request.ts';
import { NO_PROJECT, refusal } from './responses.ts';
import { bodySamples } from './samples/code-samples.ts';

const MAX_ID_UNITS = 128;

export const CheckRequest = resource('ProjectCheckRequest', 'A document or a project, with the values of a render.', {
  document: optional(Document, 'A document to check. Either this or `project_id`.'),
  project_id: optional(
    text('', { minLength: 1, max_units: MAX_ID_UNITS }),
    'A project to check, in its newest version.',
  ),
  template_id: TemplateId,
  values: ValuesMember,
  draft: Draft,
});
export type CheckRequest = t.TypeOf<typeof CheckRequest>;

const DOCUMENT_FAULT = { code: 'invalid_field', param: 'document' } as const;

export const decodeCheckRequest = (body: unknown): E.Either<InputFault, CheckRequest> => {
  if (isObject(body) && (body.document ?? null) !== null && (body.project_id ?? null) !== null)
    return E.left({ ...DOCUMENT_FAULT, message: 'document: must not be sent together with project_id' });
  return E.filterOrElse(
    ({ document, project_id }: CheckRequest) => document !== null || project_id !== null,
    (): InputFault => ({ ...DOCUMENT_FAULT, message: 'document: is required, as an object, or project_id' }),
  )(decodeTemplated(CheckRequest, body));
};

const FAULT = object('A fault or a warning.', {
  path: text('The place in the document, or the value, like `values.price`; empty for all of it.'),
  message: text('The fault, and how to correct it.', { minLength: 1 }),
});

const LAYER = object('When a layer shows.', {
  id: text('Its ID.'),
  start_s: orNull(
    number('', { minimum: 0 }),
    'Its first moment in seconds; null if it follows from an unknown length.',
  ),
  end_s: orNull(number('', { minimum: 0 }), 'Its end in seconds; null if it follows from an unknown length.'),
});

export const ProjectCheck = resource('ProjectCheck', 'The result of a check.', {
  valid: boolean('Whether the render would be accepted, apart from credits and other limits.'),
  faults: listOf(FAULT, 'All faults; empty if it is valid.'),
  warnings: listOf(FAULT, 'Ignored values and unused assets.'),
  frames: orNull(count(''), 'The number of frames of the video; null with faults.'),
  duration_s: orNull(number('', { minimum: 0 }), 'Its length in seconds; null with faults.'),
  price_credits: orNull(count(''), 'The credits that the render would cost; null with faults.'),
  layers: orNull(
    listOf(LAYER, ''),
    'The times of all layers, in the order of the document; null with faults, and for rows.',
  ),
});

export const checkResource = ({
  faults,
  warnings,
  film,
}: {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  readonly film: {
    readonly frames: number;
    readonly duration_s: number;
    readonly price_credits: number;
    readonly layers: readonly ShownTimes[];
  } | null;
}): t.TypeOf<typeof ProjectCheck> => ({
  ...{ valid: film !== null, faults, warnings },
  ...{ frames: film?.frames ?? null, duration_s: film?.duration_s ?? null },
  price_credits: film?.price_credits ?? null,
  layers: film?.layers ?? null,
});

export const PROJECT_CHECK_SCHEMAS = definitionsOf([CheckRequest, ProjectCheck]);

export const VALID_CHECK = {
  ...{
    valid: true,
    faults: [],
    warnings: [{ path: 'values.prize', message: 'is ignored: the template has no such field' }],
  },
  ...{ frames: 60, duration_s: 2, price_credits: 1 },
  layers: [{ id: 'headline', start_s: 0, end_s: 2 }],
};

const FAULTY = {
  valid: false,
  faults: [{ path: 'compositions[0].width', message: 'must be a whole, even number from 2 to 4096' }],
  ...{ warnings: [], frames: null, duration_s: null, price_credits: null, layers: null },
};

export const PROJECT_CHECK = {
  'POST /v1/projects/check': {
    ...{ id: 'checkProject', tag: 'Projects', summary: 'Check a document or a project' },
    description:
      'Says whether a render would be accepted, with all faults at once, and what it would cost. It changes nothing and needs no scope. It fetches no URLs: it takes each for a file of its kind.',
    body: {
      shape: CheckRequest,
      examples: {
        document: ['A document', { document: DOCUMENT_EXAMPLE }],
        project: [
          'A project with values',
          { project_id: 'proj_01KAJWZK3H', template_id: 'tpl_sale', values: { headline: 'Only this week' } },
        ],
      },
    },
    answers: {
      200: jsonResponse('The result, also with faults.', ProjectCheck, {
        valid: ['Valid', VALID_CHECK],
        faulty: ['With a fault', FAULTY],
      }),
      400: refusal('The request is not valid.', {
        neither: [
          'Nothing to check',
          'document: is required, as an object, or project_id',
          ...(['invalid_field', 'document'] as const),
        ],
      }),
      404: NO_PROJECT,
      ...OF_BODY,
    },
    samples: bodySamples('/v1/projects/check', { document: DOCUMENT_EXAMPLE }),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
