import type * as t from 'io-ts';
import type { JsonSchema } from '../../../domain/shape/json-schema.ts';
import type { Shape } from '../../../domain/shape/shape.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../limits.ts';
import type { MediaType, Operation, Parameter, Reference, Response } from '../openapi.ts';
import { anyObject, namedShape } from '../shapes.ts';
import type { Guard, GuardOf } from './guard.ts';
import { CHANGE_RESPONSES, COMMON_RESPONSES, headers, RATE_HEADERS } from './responses.ts';

type Body = {
  readonly shape: t.Decoder<unknown, unknown> & { readonly schema: JsonSchema };
  readonly example: unknown;
  readonly name: string;
  readonly summary: string;
};

/** An operation of the management API. It lists no path parameters, because they follow from the route. */
export type ManagementOperation<G extends Guard = Guard> = {
  readonly guard: G;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  /** By default, a POST takes an empty object. */
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Response>>;
  /** Errors in addition to those that every operation has. By default, a POST has the errors of a change. */
  readonly refusals?: Readonly<Record<string, Reference | Response>>;
};

/** The operations of a resource, by method and path. A guard that does not fit the path is a compile error. */
export const contract = <const C extends { readonly [R in keyof C]: ManagementOperation<GuardOf<R>> }>(
  operations: C,
): { readonly [R in keyof C]: ManagementOperation<C[R]['guard']> } => operations;

const json = ({ schema }: { readonly schema: JsonSchema }, name: string, summary: string, value: unknown) => ({
  'application/json': { schema, examples: { [name]: { summary, value } } } satisfies MediaType,
});

export const jsonResponse = <A>(
  description: string,
  shape: Shape<A>,
  example: NoInfer<A>,
  name = 'example',
  summary = 'An example',
): Response => ({ description, headers: headers(...RATE_HEADERS), content: json(shape, name, summary, example) });

export const exampleBody = (
  shape: Body['shape'],
  example: unknown,
  name = 'example',
  summary = 'An example',
): Body => ({
  ...{ shape, example, name, summary },
});

export const examplePage = <A>(element: A) => ({ data: [element], has_more: false, next_cursor: null });

export const EmptyBody = namedShape('Nothing', anyObject('No members are known yet.'));

const NO_BODY = exampleBody(EmptyBody, {}, 'nothing', 'Nothing');

const requestBody = ({ shape, name, summary, example }: Body) => ({
  required: true,
  description: 'The request.',
  content: json(shape, name, summary, example),
});

const inPath = (name: string, what: string, example: string): Parameter => ({
  ...{ name, in: 'path', required: true, description: `ID of ${what}.`, schema: { type: 'string', minLength: 1 } },
  example,
});

const ALL = [
  inPath('team_id', 'the team', 'team_01KAJWY8QD'),
  inPath('account_id', 'the account', 'acc_01KAJWXQ4N'),
  inPath('user_id', 'the user', 'user_01KAJWYH5M'),
  inPath('invitation_id', 'the invitation', 'inv_01KAJX7C4M2S8T0V5Z9Q3R6W1B'),
  inPath('project_id', 'the project', 'proj_01KAJWZK3H'),
  {
    ...{ name: 'version', in: 'path', required: true, description: 'Number of the version.' },
    ...{ schema: { type: 'integer', minimum: 1 }, example: 1 },
  } satisfies Parameter,
  inPath('upload_id', 'the upload', 'upload_5f2d0c8e9b7a46138c1de0f4a2b39675'),
  inPath('render_id', 'the render', 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C'),
  inPath('key_id', 'the API key', 'key_01KAJX0T7B'),
  inPath('endpoint_id', 'the webhook endpoint', 'whe_01KAJX1M9D'),
  inPath('delivery_id', 'the delivery', 'hook_4f1d2a7c90b35e681f2d3c4b5a697887'),
  { ...inPath('id', 'the session', 'sess_01KAJX3Z5Q8W9V2T7R4N6M1B0C'), schema: { type: 'string' } },
];

const PATH_PARAMETERS: ReadonlyMap<string, Parameter> = new Map(ALL.map((one) => [one.name, one]));

// The parameter has no example: documentation pages would send it, and a second try would conflict.
export const IDEMPOTENCY_KEY: Parameter = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description:
    'A text of your choice, for example a UUID, that makes it safe to repeat the request. A repeat returns the result of the first request with the status 200, but without its secret. A different body gets 422. The key belongs to the person and the team, and never expires.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH, pattern: '^[\\x21-\\x7e]+$' },
};

const pathParameters = (route: string): readonly Parameter[] =>
  Array.from(route.matchAll(/\{(\w+)\}/g), ([, name = '']) => PATH_PARAMETERS.get(name)).filter(
    (one) => one !== undefined,
  );

const openApiOperation = (route: string, operation: ManagementOperation): DocumentOperation => {
  const { guard, id: operationId, tag, summary, description, answers } = operation;
  const is_post = route.startsWith('POST ');
  const parameters = [...pathParameters(route), ...(operation.parameters ?? [])];
  return {
    ...{ operationId, tags: [tag], summary, description },
    ...(guard === 'open' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(is_post && { requestBody: requestBody(operation.body ?? NO_BODY) }),
    responses: { ...COMMON_RESPONSES, ...(operation.refusals ?? (is_post ? CHANGE_RESPONSES : {})), ...answers },
  };
};

type DocumentOperation = Omit<Operation, 'x-codeSamples'>;

type PathItems = Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', DocumentOperation>>>>>;

export const pathsOf = (operations: Readonly<Record<string, ManagementOperation>>): PathItems => {
  const paths: Record<string, Record<string, DocumentOperation>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: openApiOperation(route, operation) };
  }
  return paths;
};
