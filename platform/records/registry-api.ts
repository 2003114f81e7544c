import * as t from 'io-ts';
import type { Values } from '../configuration/configuration.ts';
import type { SCHEMA_REGISTRY } from '../configuration/parts.ts';

export type RegistrySettings = Values<typeof SCHEMA_REGISTRY>;

/** `status` is 0 if the registry did not answer. */
export class RegistryFault extends Error {
  override readonly name = 'RegistryFault';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Null if the registry answers that the requested item does not exist. */
export const nullIfMissing = async <A>(answer: Promise<A>): Promise<A | null> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RegistryFault && error.status === 404) return null;
    throw error;
  }
};

const TIMEOUT_MS = 10_000;

const ErrorBody = t.type({ message: t.string });

const reasonIn = (status: number, body: unknown): string =>
  ErrorBody.is(body) ? body.message : `the registry answered ${status}`;

/** The parts of the registry's API that the deploy step needs and the client library lacks. */
export const registryApi = ({ url, username, password }: RegistrySettings) => {
  const authorization =
    username === undefined
      ? {}
      : { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  return async <A>(method: string, path: string, codec: t.Decoder<unknown, A>, body?: unknown): Promise<A> => {
    let status = 0;
    let answer: unknown;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'Content-Type': 'application/vnd.schemaregistry.v1+json', ...authorization },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = response.status;
      answer = await response.json();
    } catch (error) {
      throw new RegistryFault(status, `the schema registry at ${url} does not answer: ${String(error)}`);
    }
    if (status < 200 || status >= 300) throw new RegistryFault(status, reasonIn(status, answer));
    const decoded = codec.decode(answer);
    if (decoded._tag === 'Left') throw new RegistryFault(status, `an unexpected answer to ${method} ${path}`);
    return decoded.right;
  };
};
