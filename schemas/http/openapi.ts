import type { CodeSample } from './public/samples/code-samples.ts';

export type Schema = Readonly<Record<string, unknown>>;

export type Example = { readonly summary: string; readonly value: unknown };
export type Examples = Readonly<Record<string, Example>>;

export type Header = {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
};

export type Reference = { readonly $ref: string };

export type MediaType = { readonly schema: Schema; readonly examples?: Examples };

export type Response = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
};

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly [];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description: string;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly 'x-codeSamples': readonly CodeSample[];
};

export type PathItem = Readonly<Partial<Record<'get' | 'post', Operation>>>;

export const schemaRef = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` });
export const headerRef = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });
export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });
export const responseRef = (name: string): Reference => ({ $ref: `#/components/responses/${name}` });

/** HEAD works with every GET, OPTIONS with every path. */
export type RouteMethod = 'GET' | 'POST';
