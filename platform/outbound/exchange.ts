import type { Dispatcher } from 'undici';
import { faultAfterConnect, STOPPED_FAULT } from './connection-faults.ts';
import type { PostFault, PostRequest, PostResult } from './post-result.ts';

type Timed<R> = R extends PostResult ? Omit<R, 'duration_ms'> : never;

export type ExchangeResult = Timed<PostResult>;

const LATE = {
  connecting: 'The connection timed out.',
  waiting: 'The host did not answer in time.',
  reading: 'The answer was not complete in time.',
} as const;

/** Only undici sees this error; the result has the reason of the abort. */
export const ABORT_AFTER_RESULT = new Error('the result is already known');

export const firstHeaderValue = (value: string | readonly string[] | undefined): string | null =>
  (typeof value === 'string' ? value : value?.[0]) ?? null;

/** @param url on the pool's origin */
export const sendPost = (
  pool: Dispatcher,
  url: URL,
  request: PostRequest,
  most_response_bytes: number,
): Promise<ExchangeResult> => {
  const { promise, resolve } = Promise.withResolvers<ExchangeResult>();
  let stage: keyof typeof LATE = 'connecting';
  let over = false;
  let abort = (): void => undefined;
  let answer: { readonly status: number; readonly retry_after: string | null } | null = null;
  const pieces: Buffer[] = [];
  let size_bytes = 0;

  const end = (result: ExchangeResult): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    request.signal.removeEventListener('abort', stop);
    resolve(result);
    abort();
  };
  const fail = (fault: PostFault): void => end({ tag: 'failed', ...fault, status: answer?.status ?? null });
  const succeed = (): void => {
    if (answer !== null) end({ tag: 'answered', ...answer, response: Buffer.concat(pieces) });
  };
  const timer = setTimeout(() => fail({ code: 'timeout', message: LATE[stage] }), request.timeout_ms);
  const stop = (): void => fail(STOPPED_FAULT);
  request.signal.addEventListener('abort', stop);

  pool.dispatch(
    {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    {
      // A request that ended while it waited for a connection is never sent.
      onRequestStart: (controller) => {
        abort = () => controller.abort(ABORT_AFTER_RESULT);
        if (over) abort();
        stage = 'waiting';
      },
      onResponseStart: (_controller, status, headers) => {
        if (status < 200) return;
        stage = 'reading';
        answer = { status, retry_after: firstHeaderValue(headers['retry-after']) };
      },
      onResponseData: (_controller, chunk) => {
        pieces.push(chunk.subarray(0, most_response_bytes - size_bytes));
        size_bytes += chunk.length;
        if (size_bytes > most_response_bytes) succeed();
      },
      onResponseEnd: () => succeed(),
      onResponseError: (_controller, error) => fail(faultAfterConnect(error)),
    },
  );
  return promise;
};
