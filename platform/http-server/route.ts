import type { IncomingHttpHeaders } from 'node:http';
import { type Either, isLeft } from 'fp-ts/lib/Either.js';
import type { Request, Response, Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import type { ApiError } from './api-error.ts';
import { readJson } from './json-body.ts';
import { type Reply, sendBytes, sendError, sendReply, sendStream } from './replies.ts';

/** All data in the request is unchecked input of the client. */
export type ApiRequest = {
  /** Never the client's id, which may name a person: the log stores this id as the correlation id. */
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** At most 256 KiB by default, `application/json`, UTF-8. */
  readonly json: (max_bytes?: number) => Promise<Either<ApiError, unknown>>;
  readonly log: () => Logger;
  /** Aborts when the client's connection closes before the answer is sent. */
  readonly gone: () => AbortSignal;
  readonly answerWith: (headers: Readonly<Record<string, string>>) => void;
};

export type Handler = (request: ApiRequest) => Promise<Either<ApiError, Reply>>;

/** A class, because an object with its own methods for every request costs a tenth of the throughput. */
class IncomingRequest implements ApiRequest {
  readonly #request: Request;
  readonly #response: Response;
  readonly #logger: Logger;

  constructor(request: Request, response: Response, logger: Logger) {
    this.#request = request;
    this.#response = response;
    this.#logger = logger;
  }

  get id(): string {
    return this.#request.getId();
  }

  get params(): Readonly<Record<string, string>> {
    return this.#request.params;
  }

  get query(): URLSearchParams {
    // A fast path, because most requests have no query.
    if (this.#request.url?.includes('?') !== true) return new URLSearchParams();
    return new URL(this.#request.href()).searchParams;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  json(max_bytes?: number): Promise<Either<ApiError, unknown>> {
    return readJson(this.#request, max_bytes);
  }

  log(): Logger {
    return this.#logger.child({ request_id: this.id });
  }

  gone(): AbortSignal {
    const gone = new AbortController();
    const response = this.#response;
    if (response.closed) gone.abort();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    return gone.signal;
  }

  answerWith(headers: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(headers)) this.#response.setHeader(name, headers[name] ?? '');
  }
}

/** The path in restify's syntax: `:id` for `{id}`, `*` for the rest of a path. */
export const routePattern = (path: string): string => path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1');

/** GET answers HEAD as well. If the handler throws, the answer is a 500 that discloses only the request id. */
export const addRoute = (
  server: Server,
  logger: Logger,
  method: 'GET' | 'POST',
  path: string,
  handler: Handler,
): void => {
  const answer = async (request: Request, response: Response): Promise<void> => {
    const result = await handler(new IncomingRequest(request, response, logger));
    if (isLeft(result)) return sendError(response, result.left);
    const { status, headers = {}, stream, bytes } = result.right;
    if (bytes !== undefined) return sendBytes(response, status, bytes, headers);
    if (stream === undefined) return sendReply(response, result.right);
    if (request.method === 'HEAD') return sendBytes(response, status, null, headers);
    await sendStream(response, status, headers, stream);
  };
  if (method === 'POST') server.post(routePattern(path), answer);
  else {
    server.get(routePattern(path), answer);
    server.head(routePattern(path), answer);
  }
};
