import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { InputFault } from '../error-codes.ts';
import { MAX_ID_LENGTH } from '../limits.ts';
import { ProjectCheck, VALID_CHECK } from '../public/project-check.ts';
import { Draft, TemplateId, ValuesMember } from '../public/render-request.ts';
import { decodeShape, definitionsOf, isObject, listOf, object, resource, text } from '../shapes.ts';
import { contract, exampleBody, jsonResponse } from './operation.ts';
import { WRITE_RESPONSES } from './responses.ts';

/** Rows that one request checks. */
export const MAX_CHECKED_ROWS = 100;

const OF_ALL_ROWS = {
  project_id: text('The project, in its newest version.', { minLength: 1, max_units: MAX_ID_LENGTH }),
  template_id: TemplateId,
  draft: Draft,
};

const CheckBatchRequest = resource('ProjectCheckBatchRequest', 'Rows of values to check.', {
  ...OF_ALL_ROWS,
  rows: listOf(object('The values of one render.', { values: ValuesMember }), 'The rows.', {
    minItems: 1,
    maxItems: MAX_CHECKED_ROWS,
  }),
});

const OfAllRows = object('', OF_ALL_ROWS);

/** The values of rows are not decoded: a fault of one of them must not refuse the others. */
export type CheckBatch = t.TypeOf<typeof OfAllRows> & { readonly rows: readonly { readonly values?: unknown }[] };

const ROWS_FAULT: InputFault = {
  ...{ code: 'invalid_field', param: 'rows' },
  message: `rows: is required, as a list of 1 to ${MAX_CHECKED_ROWS} objects`,
};

export const decodeCheckBatch = (body: unknown): E.Either<InputFault, CheckBatch> => {
  const rows = isObject(body) ? body.rows : undefined;
  const of_all = decodeShape(OfAllRows, body);
  if (E.isLeft(of_all)) return of_all;
  return Array.isArray(rows) && rows.length >= 1 && rows.length <= MAX_CHECKED_ROWS && rows.every(isObject)
    ? E.right({ ...of_all.right, rows })
    : E.left(ROWS_FAULT);
};

/** The body of a check of this row alone. */
export const checkOfRow = (
  { project_id, template_id, draft }: CheckBatch,
  { values }: CheckBatch['rows'][number],
): unknown => ({ project_id, template_id, draft, values });

const CheckBatchAnswer = resource('ProjectCheckBatch', 'The checks of rows.', {
  data: listOf(
    ProjectCheck,
    'The checks of the first rows, in their order: one or more. A request ends early if its rows need much time. Send the other rows again.',
    { minItems: 1, maxItems: MAX_CHECKED_ROWS },
  ),
});

export const CHECK_BATCHES = contract({
  'POST /manage/v1/teams/{team_id}/projects/check/batch': {
    ...{ guard: 'team_member', id: 'checkTeamProjectRows', tag: 'Renders', summary: 'Check several rows of values' },
    description:
      'Says for each row whether a render would be accepted, with all its faults, and what it would cost. It changes nothing. A row that a check alone would refuse has that fault. For members of the team.',
    body: exampleBody(CheckBatchRequest, {
      ...{ project_id: 'proj_01KAJWZK3H', template_id: 'tpl_sale' },
      rows: [{ values: { headline: 'Only this week' } }, { values: { headline: 'Last chance' } }],
    }),
    answers: { 200: jsonResponse('The results, also with faults.', CheckBatchAnswer, { data: [VALID_CHECK] }) },
    refusals: WRITE_RESPONSES,
  },
});

export const CHECK_BATCH_SCHEMAS = definitionsOf([CheckBatchRequest, CheckBatchAnswer]);
