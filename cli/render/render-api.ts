import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { ApiAnswer, ApiClient, ApiResult } from '../http/api-client.ts';
import { projectIdsOfKey } from '../http/projects.ts';
import { RenderAnswer, RendersAnswer, TemplateAnswer, TemplatesAnswer, TransitionsAnswer } from './render-answers.ts';

export type RenderRequestBody = {
  readonly name: string;
  readonly project_id: string;
  readonly template_id?: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly draft?: true;
};

export type RenderQuery = {
  /** Undefined for all projects of the team of a log-in. A key lists one project at a time. */
  readonly project_id?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly search?: string;
  readonly status?: string;
  readonly order?: string;
};

export type RenderApi = {
  /** @param idempotency_key 1 to 255 visible ASCII characters; the same key always returns the same render */
  readonly create: (order: RenderRequestBody, idempotency_key?: string) => ApiResult<RenderAnswer>;
  readonly get: (id: string) => ApiResult<RenderAnswer>;
  /** Returns the render: failed, or unchanged while the cancellation is pending. */
  readonly cancel: (id: string) => ApiResult<RenderAnswer>;
  readonly list: (query: RenderQuery) => ApiResult<RendersAnswer>;
  /** The ids of the projects that a list must name; null if a list needs none. Newest first, one more than `most`. */
  readonly projects: ((most: number) => ApiResult<readonly string[]>) | null;
  readonly transitions: (id: string) => ApiResult<TransitionsAnswer>;
  readonly template: (project_id: string, id: string) => ApiResult<TemplateAnswer>;
  readonly templates: (project_id: string) => ApiResult<TemplatesAnswer>;
};

/** Asks with single requests if the client does not retry. */
export const renderApi = (client: ApiClient): RenderApi => {
  const ask = async <A>(codec: t.Decoder<unknown, A>, path: string, body?: object, key?: string): ApiResult<A> => {
    const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
    return E.map(({ body: answer }: ApiAnswer<A>) => answer)(
      await client.send(codec, { path, ...(body === undefined ? {} : { body }), ...headers }),
    );
  };
  return {
    create: (order, key) => ask(RenderAnswer, '/v1/renders', order, key),
    get: (id) => ask(RenderAnswer, `/v1/renders/${encodeURIComponent(id)}`),
    cancel: (id) => ask(RenderAnswer, `/v1/renders/${encodeURIComponent(id)}/cancel`, {}),
    list: (query) => ask(RendersAnswer, `/v1/renders?${new URLSearchParams(query)}`),
    projects: (most) => projectIdsOfKey(client, most + 1),
    transitions: (id) => ask(TransitionsAnswer, `/v1/renders/${encodeURIComponent(id)}/transitions`),
    template: (project_id, id) =>
      ask(TemplateAnswer, `/v1/templates/${encodeURIComponent(id)}?${new URLSearchParams({ project_id })}`),
    templates: (project_id) => ask(TemplatesAnswer, `/v1/templates?${new URLSearchParams({ project_id })}`),
  };
};
