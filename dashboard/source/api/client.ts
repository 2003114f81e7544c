import createClient from 'openapi-fetch';
import type { components, paths } from './management-types.ts';

export type Schemas = components['schemas'];

export const api = createClient<paths>({ credentials: 'same-origin' });

const textOf = (body: unknown, name: string): string | null => {
  if (typeof body !== 'object' || body === null) return null;
  const found = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof found === 'string' ? found : null;
};

export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  /** For example `signed_out` or `fresh_sign_in_needed`; null if the answer is not from the service. */
  readonly code: string | null;
  /** The part of the request that is at fault, for example `values.logo`. */
  readonly param: string | null;
  /** The body of the answer. */
  readonly body: unknown;
  constructor(status: number, message: string, code: string | null, body: unknown = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = textOf(body, 'param');
    this.body = body;
  }
}

type Answer<A> = Promise<{
  readonly data?: A | undefined;
  readonly error?: unknown;
  readonly response: Response;
}>;

/**
 * Returns the body of a successful response. Rejects with {@link ApiRefusal}, or with a `TypeError` without a response.
 */
export const unwrapAnswer = async <A>(answer: Answer<A>): Promise<A> => {
  const { data, error, response } = await answer;
  if (data !== undefined) return data;
  const message = textOf(error, 'error') ?? `the service returned status ${response.status}`;
  throw new ApiRefusal(response.status, message, textOf(error, 'code'), error);
};
