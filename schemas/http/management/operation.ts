import type { Shape } from '../../../domain/shape/shape.ts';
import type { MediaType, Operation, Parameter, Reference, Response } from '../openapi/form.ts';
import { ANYWHERE, headers, NO_BODY, RATE_HEADERS, TO_CHANGES } from './answers.ts';
import type { Guard, GuardOf } from './guard.ts';
import { PATH_PARAMETERS } from './parameters.ts';

/** An operation as the contract of its resource declares it. Its path parameters follow from its route. */
export type ManagementOperation<G extends Guard = Guard> = {
  readonly guard: G;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Parameters beside those of the path. */
  readonly parameters?: readonly Parameter[];
  /** A POST without a body of its own takes an empty object. */
  readonly body?: NonNullable<Operation['requestBody']>;
  readonly answers: Readonly<Record<number, Response>>;
  /** Errors beside those of every operation. A POST that declares none has those of a change. */
  readonly refusals?: Readonly<Record<string, Reference | Response>>;
};

/** The operations of a resource by method and path. A guard that does not fit the path does not compile. */
export const contract = <const C extends { readonly [R in keyof C]: ManagementOperation<GuardOf<R>> }>(
  operations: C,
): { readonly [R in keyof C]: ManagementOperation<C[R]['guard']> } => operations;

/** @returns the guard of each operation */
export const guardsOf = <C extends Readonly<Record<string, ManagementOperation>>>(
  operations: C,
): { readonly [R in keyof C]: C[R]['guard'] } =>
  Object.fromEntries(Object.entries(operations).map(([route, { guard }]) => [route, guard])) as {
    readonly [R in keyof C]: C[R]['guard'];
  };

const json = <A>({ schema }: Shape<A>, name: string, summary: string, value: unknown) => ({
  'application/json': { schema, examples: { [name]: { summary, value } } } satisfies MediaType,
});

/** A JSON answer to a request whose session was accepted. */
export const answer = <A>(
  description: string,
  shape: Shape<A>,
  example: NoInfer<A>,
  name = 'example',
  summary = 'An example',
): Response => ({ description, headers: headers(...RATE_HEADERS), content: json(shape, name, summary, example) });

/** The JSON body of a request. A test decodes the example. */
export const body = <A>(shape: Shape<A>, example: unknown, name = 'example', summary = 'An example') => ({
  required: true,
  description: 'The request.',
  content: json(shape, name, summary, example),
});

/** The last page of a list, with one element. */
export const page = <A>(element: A) => ({ data: [element], has_more: false, next_cursor: null });

const pathParameters = (route: string): readonly Parameter[] =>
  Array.from(route.matchAll(/\{(\w+)\}/g), ([, name = '']) => PATH_PARAMETERS[name]).filter((one) => one !== undefined);

const openApiOperation = (route: string, operation: ManagementOperation): DocumentOperation => {
  const { guard, id: operationId, tag, summary, description, answers } = operation;
  const is_post = route.startsWith('POST ');
  const parameters = [...pathParameters(route), ...(operation.parameters ?? [])];
  return {
    ...{ operationId, tags: [tag], summary, description },
    ...(guard === 'open' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(is_post && { requestBody: operation.body ?? NO_BODY }),
    responses: { ...ANYWHERE, ...(operation.refusals ?? (is_post ? TO_CHANGES : {})), ...answers },
  };
};

type DocumentOperation = Omit<Operation, 'x-codeSamples'>;

type PathOf<R> = R extends `${string} ${infer P}` ? P : never;

type PathItems<R> = { readonly [P in PathOf<R>]: Readonly<Partial<Record<'get' | 'post', DocumentOperation>>> };

/** The operations as OpenAPI has them: by path, then by method. */
export const pathsOf = <C extends Readonly<Record<string, ManagementOperation>>>(operations: C): PathItems<keyof C> => {
  const paths: Record<string, Record<string, DocumentOperation>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: openApiOperation(route, operation) };
  }
  return paths as PathItems<keyof C>;
};
