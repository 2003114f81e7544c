import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { faultsOf, faultText } from '../../domain/composition/fault.ts';
import type { CliFault } from '../fault.ts';
import {
  ErrorAnswer,
  RenderAnswer,
  RendersAnswer,
  TemplateAnswer,
  TemplatesAnswer,
  TransitionsAnswer,
} from './render-answers.ts';

export type RenderRequestBody = {
  readonly name: string;
  readonly project_id: string;
  readonly template_id?: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly draft?: true;
};

export type RenderQuery = {
  readonly project_id: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly search?: string;
  readonly status?: string;
  readonly order?: string;
};

export type ApiResult<A> = Promise<E.Either<CliFault, A>>;

export type RenderApi = {
  /** @param idempotency_key 1 to 255 visible ASCII characters; the same key always returns the same render */
  readonly create: (order: RenderRequestBody, idempotency_key?: string) => ApiResult<RenderAnswer>;
  readonly get: (id: string) => ApiResult<RenderAnswer>;
  /** Returns the render: failed, or unchanged while the cancellation is pending. */
  readonly cancel: (id: string) => ApiResult<RenderAnswer>;
  readonly list: (query: RenderQuery) => ApiResult<RendersAnswer>;
  readonly transitions: (id: string) => ApiResult<TransitionsAnswer>;
  readonly template: (project_id: string, id: string) => ApiResult<TemplateAnswer>;
  readonly templates: (project_id: string) => ApiResult<TemplatesAnswer>;
};

const REQUEST_TIMEOUT_MS = 30_000;

const errorOf = ({ status, headers }: Response, body: unknown): CliFault => {
  const answer = ErrorAnswer.decode(body);
  const message = E.isRight(answer) ? answer.right.error : `the service returned status ${status}`;
  const retry_after = headers.get('retry-after') ?? '';
  return {
    tag: 'http',
    status,
    message,
    ...(/^\d{1,6}$/.test(retry_after) ? { retry_after_s: Number(retry_after) } : {}),
  };
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** @param stop on Ctrl-C, cancels running requests */
export const renderApi = (base_url: string, api_key: string, stop?: AbortSignal): RenderApi => {
  const root = base_url.replace(/(?<!\/)\/+$/, '');
  const ask = async <A>(codec: t.Decoder<unknown, A>, path: string, order?: object, key?: string): ApiResult<A> => {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    try {
      const answer = await fetch(`${root}${path}`, {
        method: order === undefined ? 'GET' : 'POST',
        headers: {
          Authorization: `Bearer ${api_key}`,
          'Content-Type': 'application/json',
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        },
        ...(order === undefined ? {} : { body: JSON.stringify(order) }),
        signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
      });
      const body = jsonOf(await answer.text());
      if (!answer.ok) return E.left(errorOf(answer, body));
      return pipe(
        codec.decode(body),
        E.mapLeft((errors): CliFault => {
          const message = `the response of the service is not valid: ${faultsOf(errors).map(faultText).join('; ')}`;
          return { tag: 'http', status: answer.status, message };
        }),
      );
    } catch {
      return E.left({ tag: 'unreachable', what: 'the service', address: root });
    }
  };
  return {
    create: (order, key) => ask(RenderAnswer, '/v1/renders', order, key),
    get: (id) => ask(RenderAnswer, `/v1/renders/${encodeURIComponent(id)}`),
    cancel: (id) => ask(RenderAnswer, `/v1/renders/${encodeURIComponent(id)}/cancel`, {}),
    list: (query) => ask(RendersAnswer, `/v1/renders?${new URLSearchParams(query)}`),
    transitions: (id) => ask(TransitionsAnswer, `/v1/renders/${encodeURIComponent(id)}/transitions`),
    template: (project_id, id) =>
      ask(TemplateAnswer, `/v1/templates/${encodeURIComponent(id)}?${new URLSearchParams({ project_id })}`),
    templates: (project_id) => ask(TemplatesAnswer, `/v1/templates?${new URLSearchParams({ project_id })}`),
  };
};
