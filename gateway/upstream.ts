import pLimit from 'p-limit';
import { type Dispatcher, Pool } from 'undici';
import type { ResponseHeaders } from './forwarded-headers.ts';

const CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 2_000;
/** How long to wait for an answer: longer than any timeout of an API. */
const ANSWER_TIMEOUT_MS = 35_000;
/** Far above the largest answers: documentation files of 1.5 MB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const isEventStream = (status: number, headers: ResponseHeaders): boolean =>
  status === 200 && String(headers['content-type']).startsWith('text/event-stream');

/** The reason with which undici aborts a request. No other code sees it, because the result is already settled. */
const ABORTED = new Error('the client has gone');

export type UpstreamRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly target: string;
  readonly headers: string[];
  readonly body: Buffer | null;
  /** Whether the answer may be an event stream, which needs its own connection. */
  readonly may_stream?: boolean;
};

export type UpstreamResponse = {
  readonly tag: 'answered';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
};

export type UpstreamStream = {
  readonly tag: 'streaming';
  readonly status: number;
  readonly headers: ResponseHeaders;
  /**
   * @param onPart returns false to pause until `resume`; parts in flight still arrive
   * @returns true if the API ended the stream
   */
  readonly read: (onPart: (part: Buffer) => boolean) => Promise<boolean>;
  readonly resume: () => void;
  readonly abort: () => void;
};

export type UpstreamFault = {
  readonly tag: 'failed';
  /** The code of the connection's error; undefined if the connection is not at fault. */
  readonly code: string | undefined;
  /** False if no byte of the request can have reached the API. */
  readonly sent: boolean;
  readonly answering: boolean;
};

export type UpstreamAnswer = UpstreamResponse | UpstreamStream | UpstreamFault;

export type UpstreamCall = {
  readonly answer: Promise<UpstreamAnswer>;
  /** Call this when the client disconnects. A request that is still queued is not sent. */
  readonly abort: () => void;
};

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * One request and its answer, which is buffered unless it is a stream. This is a class, because undici needs one object
 * with many callbacks for every request.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (result: UpstreamAnswer) => void;
  readonly #may_stream: boolean;
  readonly #pieces: Buffer[] = [];
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: ResponseHeaders = {};
  #over = false;
  #onPart: ((part: Buffer) => boolean) | null = null;
  readonly #streamed = Promise.withResolvers<boolean>();

  constructor(settle: (result: UpstreamAnswer) => void, timeout_ms: number, may_stream: boolean) {
    this.#settle = settle;
    this.#may_stream = may_stream;
    this.#timer = setTimeout(() => this.abort('ETIMEDOUT'), timeout_ms);
  }

  abort(code?: string): void {
    if (this.#over) return;
    this.#fail(code);
    this.#controller?.abort(ABORTED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Aborted while it waited for a connection, so it was never sent.
    if (this.#over) controller.abort(ABORTED);
    else this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (!this.#may_stream || !isEventStream(status, headers) || this.#over) return;
    controller.pause();
    this.#end({
      ...{ tag: 'streaming', status, headers },
      read: (onPart) => {
        this.#onPart = onPart;
        if (this.#pieces.splice(0).map(onPart).every(Boolean)) controller.resume();
        return this.#streamed.promise;
      },
      resume: () => controller.resume(),
      abort: () => controller.abort(ABORTED),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#onPart === null) this.#pieces.push(chunk);
    else if (!this.#onPart(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#streamed.resolve(true);
    const [first] = this.#pieces;
    const body = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#end({ tag: 'answered', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#streamed.resolve(false);
    this.#fail(codeOf(error));
  }

  #fail(code: string | undefined): void {
    this.#end({ tag: 'failed', code, sent: this.#controller !== null, answering: this.#status !== 0 });
  }

  #end(result: UpstreamAnswer): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#settle(result);
  }
}

/** Error codes that show that the API closed a kept-alive connection just as the request was sent. */
const BROKEN = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

const isRetryable = (method: string, result: UpstreamAnswer): boolean =>
  method !== 'POST' &&
  result.tag === 'failed' &&
  !result.answering &&
  result.code !== undefined &&
  BROKEN.includes(result.code);

export type Upstream = {
  /** Retries GET and HEAD once if the connection broke before any part of the answer arrived. */
  readonly send: (request: UpstreamRequest) => UpstreamCall;
  readonly close: () => void;
};

export const openUpstream = (url: string, answer_timeout_ms = ANSWER_TIMEOUT_MS): Upstream => {
  const { origin, pathname } = new URL(url);
  const below = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  });

  /**
   * Connections for event streams, one per client stream. APIs send heartbeats, so a connection that is silent for the
   * timeout is lost.
   */
  let streams: Pool | null = null;
  const streamsPool = (): Pool => {
    streams ??= new Pool(origin, {
      ...{ pipelining: 1, connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: 0, bodyTimeout: answer_timeout_ms },
    });
    return streams;
  };

  const once = ({ method, target, headers, body, may_stream = false }: UpstreamRequest) => {
    const { promise, resolve } = Promise.withResolvers<UpstreamAnswer>();
    const exchange = new Exchange(resolve, answer_timeout_ms, may_stream);
    try {
      (may_stream ? streamsPool() : pool).dispatch({ method, path: `${below}${target}`, headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(Object.create(null), error instanceof Error ? error : new Error(String(error)));
    }
    return { exchange, promise };
  };

  /** Requests wait here and not in undici's pool, so that an aborted request frees its body at once. */
  const waiting = pLimit(CONNECTIONS);

  return {
    send: (requested) => {
      let request: UpstreamRequest | null = requested;
      let exchange: Exchange | null = null;
      const { promise: late, resolve: abortWaiting } = Promise.withResolvers<UpstreamFault>();
      const abort = (code?: string): void => {
        request = null;
        exchange?.abort(code);
        abortWaiting({ tag: 'failed', code, sent: exchange !== null, answering: false });
      };
      const sendOnce = async (): Promise<UpstreamAnswer> => {
        if (request === null) return late;
        const begun = once(request);
        exchange = begun.exchange;
        return begun.promise;
      };
      const sendWithRetry = async () => {
        const result = await sendOnce();
        return request !== null && isRetryable(request.method, result) ? sendOnce() : result;
      };
      if (requested.may_stream === true) return { answer: sendWithRetry(), abort: () => abort() };
      if (waiting.activeCount < CONNECTIONS) return { answer: waiting(sendWithRetry), abort: () => abort() };
      const timer = setTimeout(() => abort('ETIMEDOUT'), answer_timeout_ms);
      const answer = Promise.race([waiting(sendWithRetry), late]).finally(() => clearTimeout(timer));
      return { answer, abort: () => abort() };
    },
    close: () => {
      void pool.destroy().catch(() => undefined);
      void streams?.destroy().catch(() => undefined);
    },
  };
};
