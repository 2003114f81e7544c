import pLimit from 'p-limit';
import { type Dispatcher, Pool } from 'undici';
import type { ResponseHeaders } from './forwarded-headers.ts';

const CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 2_000;
/** Longer than any timeout of an API's own. */
const ANSWER_TIMEOUT_MS = 35_000;
/** Far above the largest answers: files of the documentation, 1.5 MB. */
const MOST_ANSWER_BYTES = 8 * 1024 * 1024;

/** Only undici sees this error; the fault is settled before. */
const ABORTED = new Error('the client has gone');

/** The request that is made to the API, from what was read of the client's. */
export type UpstreamRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Path and query. */
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Buffer | null;
};

export type UpstreamResponse = {
  readonly tag: 'answered';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
};

export type UpstreamFault = {
  readonly tag: 'failed';
  /** Error code of the connection; undefined where the connection is not at fault. */
  readonly code: string | undefined;
  /** False where no byte of the request can have reached the API. */
  readonly sent: boolean;
  /** Whether a part of an answer was received. */
  readonly answering: boolean;
};

export type UpstreamCall = {
  readonly answer: Promise<UpstreamResponse | UpstreamFault>;
  /** For a client that has disconnected. A request that is still queued is not sent. */
  readonly abort: () => void;
};

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** One request and its answer, buffered in memory. A class, as there is one for every request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (result: UpstreamResponse | UpstreamFault) => void;
  readonly #pieces: Buffer[] = [];
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: ResponseHeaders = {};
  #over = false;

  constructor(settle: (result: UpstreamResponse | UpstreamFault) => void, timeout_ms: number) {
    this.#settle = settle;
    this.#timer = setTimeout(() => this.abort('ETIMEDOUT'), timeout_ms);
  }

  abort(code?: string): void {
    if (this.#over) return;
    this.#fail(code);
    this.#controller?.abort(ABORTED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Aborted while it waited for a connection: never sent.
    if (this.#over) controller.abort(ABORTED);
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#pieces.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#pieces;
    const body = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#end({ tag: 'answered', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(codeOf(error));
  }

  #fail(code: string | undefined): void {
    this.#end({ tag: 'failed', code, sent: this.#controller !== null, answering: this.#status !== 0 });
  }

  #end(result: UpstreamResponse | UpstreamFault): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#settle(result);
  }
}

/** The API closed a kept-alive connection just as the request was sent. */
const BROKEN = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

const isRetryable = (method: string, result: UpstreamResponse | UpstreamFault): boolean =>
  method !== 'POST' &&
  result.tag === 'failed' &&
  !result.answering &&
  result.code !== undefined &&
  BROKEN.includes(result.code);

export type Upstream = {
  /** GET and HEAD are sent once more where the connection broke before a part of the answer was received. */
  readonly send: (request: UpstreamRequest) => UpstreamCall;
  readonly close: () => void;
};

/** One API, over kept-alive connections. */
export const openUpstream = (url: string, answer_timeout_ms = ANSWER_TIMEOUT_MS): Upstream => {
  const { origin, pathname } = new URL(url);
  const below = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MOST_ANSWER_BYTES,
  });

  const once = ({ method, target, headers, body }: UpstreamRequest) => {
    const { promise, resolve } = Promise.withResolvers<UpstreamResponse | UpstreamFault>();
    const exchange = new Exchange(resolve, answer_timeout_ms);
    try {
      pool.dispatch({ method, path: `${below}${target}`, headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(Object.create(null), error instanceof Error ? error : new Error(String(error)));
    }
    return { exchange, promise };
  };

  /** Requests queue here and not in undici's pool, so that an aborted one frees its body at once. */
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
      const sendOnce = async (): Promise<UpstreamResponse | UpstreamFault> => {
        if (request === null) return late;
        const begun = once(request);
        exchange = begun.exchange;
        return begun.promise;
      };
      const sendWithRetry = async () => {
        const result = await sendOnce();
        return request !== null && isRetryable(request.method, result) ? sendOnce() : result;
      };
      if (waiting.activeCount < CONNECTIONS) return { answer: waiting(sendWithRetry), abort: () => abort() };
      const timer = setTimeout(() => abort('ETIMEDOUT'), answer_timeout_ms);
      const answer = Promise.race([waiting(sendWithRetry), late]).finally(() => clearTimeout(timer));
      return { answer, abort: () => abort() };
    },
    close: () => void pool.destroy().catch(() => undefined),
  };
};
