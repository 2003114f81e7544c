import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { faultsOf, faultText } from '../../domain/composition/fault.ts';
import type { CliFault } from '../fault.ts';

export type ApiResult<A> = Promise<E.Either<CliFault, A>>;

export type ServiceAddress = {
  readonly base_url: string;
  readonly api_key: string;
  /** The source of the key, for the advice after a refusal. `session`: the key is the session of a person. */
  readonly key_from: 'log_in' | 'environment' | 'stack' | 'session';
};

/** Each request can be repeated without a second effect, by its nature or by its `Idempotency-Key` or `If-Match`. */
export type ApiRequest = {
  readonly path: string;
  /** A POST with this JSON body; without one, the request is a GET. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ApiAnswer<A> = { readonly status: number; readonly headers: Headers; readonly body: A };

export type ApiClient = {
  readonly address: Pick<ServiceAddress, 'base_url' | 'key_from'>;
  readonly send: <A>(codec: t.Decoder<unknown, A>, request: ApiRequest) => ApiResult<ApiAnswer<A>>;
  /** For an answer that is a file. */
  readonly sendForBytes: (request: ApiRequest) => ApiResult<ApiAnswer<Buffer>>;
};

const REQUEST_TIMEOUT_MS = 30_000;

/** Services before error codes send only `error`. */
const ErrorAnswer = t.intersection([
  t.type({ error: t.string }),
  t.partial({ code: t.string, param: t.string, faults: t.array(t.type({ path: t.string, message: t.string })) }),
]);

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

type Refusal = { readonly status: number; readonly code: string | undefined; readonly param: string | undefined };

const nextStep = ({ status, code, param }: Refusal, { base_url, key_from }: ApiClient['address']) => {
  if (status === 400 && param === 'team_id') return 'choose one with --team';
  const log_in = `log in again with "renderctl log in --url ${base_url}"`;
  if (key_from === 'session' && status === 402)
    return `see the balance at ${base_url}/dashboard/, and ask the operator of the service for credits`;
  if (key_from === 'session') return status === 401 || code === 'fresh_sign_in_needed' ? log_in : null;
  if (key_from !== 'log_in') return null;
  if (status === 401) return `${log_in.slice(0, -1)} --key"`;
  if (status === 402) return `see the balance with "renderctl whoami", and ask the operator of the service for credits`;
  return status === 403 ? `log in with such a key: "renderctl log in --url ${base_url} --key"` : null;
};

const errorOf = ({ status, headers }: Response, body: unknown, address: ApiClient['address']): CliFault => {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    const message = `the service at ${address.base_url} redirects to ${location}: use the address that it redirects to`;
    return { tag: 'http', status, message };
  }
  const answer = ErrorAnswer.decode(body);
  const retry_after = headers.get('retry-after') ?? '';
  const after = /^\d{1,6}$/.test(retry_after) ? { retry_after_s: Number(retry_after) } : {};
  if (E.isLeft(answer)) return { tag: 'http', status, message: `the service returned status ${status}`, ...after };
  const { error: message, code, param, faults } = answer.right;
  const next_step = nextStep({ status, code, param }, address);
  return {
    ...{ tag: 'http', status, message },
    ...after,
    ...(code === undefined ? {} : { code }),
    ...(faults === undefined ? {} : { faults }),
    ...(next_step === null ? {} : { next_step }),
  };
};

/**
 * Sends each request once.
 *
 * @param address.api_key null for requests that need no key
 * @param stop on Ctrl-C, cancels running requests
 */
export const createApiClient = (
  { base_url, api_key, key_from }: Omit<ServiceAddress, 'api_key'> & { readonly api_key: string | null },
  stop?: AbortSignal,
): ApiClient => {
  const root = base_url.replace(/(?<!\/)\/+$/, '');
  const address = { base_url: root, key_from };
  const authorization: Readonly<Record<string, string>> =
    api_key === null ? {} : { Authorization: `Bearer ${api_key}` };
  const answerTo = async <A>(
    { path, body, headers = {} }: ApiRequest,
    read: (answer: Response) => Promise<E.Either<CliFault, A>>,
  ): ApiResult<ApiAnswer<A>> => {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    try {
      const answer = await fetch(`${root}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...authorization, 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A followed redirect would turn a POST into a GET.
        redirect: 'manual',
        signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
      });
      if (!answer.ok) return E.left(errorOf(answer, jsonOf(await answer.text()), address));
      const found = await read(answer);
      return E.map((value: A) => ({ status: answer.status, headers: answer.headers, body: value }))(found);
    } catch {
      const next_step = key_from === 'stack' ? {} : { next_step: 'check the address and your connection' };
      return E.left({ tag: 'unreachable', what: 'the service', address: root, ...next_step });
    }
  };
  const send = <A>(codec: t.Decoder<unknown, A>, request: ApiRequest): ApiResult<ApiAnswer<A>> =>
    answerTo(request, async (answer) =>
      pipe(
        codec.decode(jsonOf(await answer.text())),
        E.mapLeft((errors): CliFault => {
          const message = `the response of the service is not valid: ${faultsOf(errors).map(faultText).join('; ')}`;
          return { tag: 'http', status: answer.status, message };
        }),
      ),
    );
  const sendForBytes = (request: ApiRequest): ApiResult<ApiAnswer<Buffer>> =>
    answerTo(request, async (answer) => E.right(Buffer.from(await answer.arrayBuffer())));
  return { address, send, sendForBytes };
};
