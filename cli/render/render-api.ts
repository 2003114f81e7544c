import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { faultsOf, faultText } from '../../domain/composition/fault.ts';
import type { CliFault } from '../fault.ts';
import { ErrorAnswer, RenderAnswer, RendersAnswer, TransitionsAnswer } from './render-answers.ts';

/** Body of POST /v1/renders. */
export type RenderOrder = {
  readonly name: string;
  readonly project_id: string;
  readonly template_id?: string;
  readonly values?: Readonly<Record<string, string>>;
};

/** Query of GET /v1/renders. */
export type RenderQuery = {
  readonly project_id: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly search?: string;
  readonly status?: string;
  readonly order?: string;
};

export type Answered<A> = Promise<E.Either<CliFault, A>>;

/** The service as any client sees it. */
export type RenderApi = {
  readonly create: (order: RenderOrder) => Answered<RenderAnswer>;
  readonly get: (id: string) => Answered<RenderAnswer>;
  readonly list: (query: RenderQuery) => Answered<RendersAnswer>;
  readonly transitions: (id: string) => Answered<TransitionsAnswer>;
};

const REQUEST_TIMEOUT_MS = 30_000;

const errorOf = (status: number, body: unknown): CliFault => {
  const answer = ErrorAnswer.decode(body);
  return { tag: 'http', status, message: E.isRight(answer) ? answer.right.error : `the service answered ${status}` };
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** @param stop ends a request under way, for Ctrl-C */
export const renderApi = (base_url: string, api_key: string, stop?: AbortSignal): RenderApi => {
  const root = base_url.replace(/\/+$/, '');
  const ask = async <A>(codec: t.Decoder<unknown, A>, path: string, order?: RenderOrder): Answered<A> => {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    try {
      const answer = await fetch(`${root}${path}`, {
        method: order === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
        ...(order === undefined ? {} : { body: JSON.stringify(order) }),
        signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
      });
      const body = jsonOf(await answer.text());
      if (!answer.ok) return E.left(errorOf(answer.status, body));
      return pipe(
        codec.decode(body),
        E.mapLeft((errors): CliFault => {
          const message = `an answer that is not understood: ${faultsOf(errors).map(faultText).join('; ')}`;
          return { tag: 'http', status: answer.status, message };
        }),
      );
    } catch {
      return E.left({ tag: 'unreachable', what: 'the service', address: root });
    }
  };
  return {
    create: (order) => ask(RenderAnswer, '/v1/renders', order),
    get: (id) => ask(RenderAnswer, `/v1/renders/${encodeURIComponent(id)}`),
    list: (query) => ask(RendersAnswer, `/v1/renders?${new URLSearchParams(query)}`),
    transitions: (id) => ask(TransitionsAnswer, `/v1/renders/${encodeURIComponent(id)}/transitions`),
  };
};
