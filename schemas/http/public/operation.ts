import type * as t from 'io-ts';
import type { JsonSchema } from '../../../domain/shape/json-schema.ts';
import type { Shape } from '../../../domain/shape/shape.ts';
import { BODY_BYTES } from '../limits.ts';
import {
  type Example,
  type Examples,
  type MediaType,
  type Operation,
  type PathItem,
  parameterRef,
  type Reference,
  type Response,
} from '../openapi.ts';
import type { HeaderName } from './headers.ts';
import type { PARAMETERS } from './parameters.ts';
import { COMMON_RESPONSES, headers, RATE_HEADERS } from './responses.ts';
import type { CodeSample } from './samples/code-samples.ts';

type Body = {
  readonly shape: t.Decoder<unknown, unknown> & { readonly schema: JsonSchema };
  readonly examples: Values<unknown>;
};

export type PublicOperation = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Reference[];
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Response>>;
  readonly samples: readonly CodeSample[];
};

export const parameterRefs = (...names: readonly (keyof typeof PARAMETERS)[]): readonly Reference[] =>
  names.map(parameterRef);

type Values<A> = Readonly<Record<string, readonly [summary: string, value: A]>>;

const examplesOf = (values: Values<unknown>): Examples =>
  Object.fromEntries(
    Object.entries(values).map(([name, [summary, value]]): [string, Example] => [name, { summary, value }]),
  );

export const jsonResponse = <A>(
  description: string,
  { schema }: Shape<A>,
  examples: NoInfer<Values<A>>,
  ...more: readonly HeaderName[]
): Response => ({
  description,
  headers: headers('Cache-Control', ...RATE_HEADERS, 'Ignored-Parameters', ...more),
  content: { 'application/json': { schema, examples: examplesOf(examples) } satisfies MediaType },
});

const requestBody = ({ shape: { schema }, examples }: Body) => ({
  required: true,
  description: `At most ${BODY_BYTES / 1024} KiB of JSON in UTF-8, not compressed.`,
  content: { 'application/json': { schema, examples: examplesOf(examples) } satisfies MediaType },
});

const openApiOperation = (operation: PublicOperation): Operation => {
  const { id: operationId, tag, summary, description, parameters, body, answers, samples } = operation;
  return {
    ...{ operationId, tags: [tag], summary, description },
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: { ...COMMON_RESPONSES, ...answers },
    'x-codeSamples': samples,
  };
};

export const pathsOf = (operations: Readonly<Record<string, PublicOperation>>): Readonly<Record<string, PathItem>> => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: openApiOperation(operation) };
  }
  return paths;
};
