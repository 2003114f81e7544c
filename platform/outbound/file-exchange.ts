import type { Dispatcher } from 'undici';
import { faultAfterConnect, STOPPED_FAULT } from './connection-faults.ts';
import { ABORT_AFTER_RESULT, firstHeaderValue } from './exchange.ts';
import type { FetchedFile, FetchFault, FetchRequest } from './fetch-result.ts';
import type { PostFault } from './post-result.ts';
import { type ReceivedFile, receiveFile } from './received-file.ts';

export type FileResponse = FetchedFile | FetchFault | { readonly tag: 'elsewhere'; readonly location: string };

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** No cookies, no identifying headers, and no content encoding. */
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Service-Media/1.0' } as const;

const LATE = {
  connecting: 'The connection timed out.',
  waiting: 'The host did not answer in time.',
  reading: 'It was not complete in time.',
} as const;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
const header = (headers: Headers, name: string): string | null => firstHeaderValue(headers[name]);

type Fault = Omit<FetchFault, 'tag' | 'status'>;
type Refused = Fault | { readonly location: string } | null;

/** Why the body is not read; null if it is read. */
const refusedBy = (status: number, headers: Headers, most_bytes: number): Refused => {
  const location = header(headers, 'location');
  if (REDIRECTS.includes(status) && location !== null) return { location };
  if (status !== 200) return { code: 'status', message: `The server answered ${status}.` };
  const encoding = header(headers, 'content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity')
    return { code: 'encoded', message: 'The server sends it compressed, which was not asked for.' };
  return Number(header(headers, 'content-length') ?? 0) > most_bytes ? tooLarge(most_bytes) : null;
};

const tooLarge = (most_bytes: number): Fault => ({
  code: 'too_large',
  message: `It is larger than the ${Math.floor(most_bytes / 1024 ** 2)} MiB that are allowed.`,
});

const NOT_STORED: Fault = { code: 'not_stored', message: 'It could not be stored here.' };

type Head = {
  readonly status: number;
  readonly content_type: string | null;
  /** Bytes; null if the server did not announce the length. */
  readonly declared: number | null;
};

const headOf = (status: number, headers: Headers): Head => {
  const length = header(headers, 'content-length');
  return {
    status,
    content_type: header(headers, 'content-type'),
    declared: length === null ? null : Number(length),
  };
};

/** The result when the last byte of the body has arrived. */
const completed = async (
  received: ReceivedFile,
  { status, content_type, declared }: Head,
): Promise<FetchedFile | FetchFault> => {
  const size = received.size_bytes();
  if (declared !== null && size !== declared) {
    await received.discard();
    return { tag: 'failed', code: 'incomplete', message: 'It came in another length than announced.', status };
  }
  try {
    return { tag: 'fetched', ...(await received.complete()), content_type };
  } catch {
    await received.discard();
    return { tag: 'failed', ...NOT_STORED, status };
  }
};

/**
 * One GET on its own connection; the body goes to a file.
 * @param left_ms limit of the whole exchange
 */
export const requestFile = (
  client: Dispatcher,
  url: URL,
  request: FetchRequest,
  left_ms: number,
): Promise<FileResponse> => {
  const { promise, resolve } = Promise.withResolvers<FileResponse>();
  let stage: keyof typeof LATE = 'connecting';
  let head: Head | null = null;
  let file: ReceivedFile | null = null;
  let over = false;
  let controller: Dispatcher.DispatchController | null = null;

  const end = async (answer: () => FileResponse | Promise<FileResponse>, keep: boolean): Promise<void> => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    clearTimeout(idle);
    request.signal.removeEventListener('abort', stop);
    if (!keep) controller?.abort(ABORT_AFTER_RESULT);
    resolve(await answer());
  };
  const fail = (fault: Fault | PostFault): void =>
    void end(async () => {
      await file?.discard();
      return { tag: 'failed', ...fault, status: head?.status ?? null };
    }, false);

  const timer = setTimeout(() => fail({ code: 'timeout', message: LATE[stage] }), left_ms);
  const slow = (): void => fail({ code: 'timeout', message: 'Nothing came for too long.' });
  let idle: NodeJS.Timeout | undefined;
  const stop = (): void => fail(STOPPED_FAULT);
  request.signal.addEventListener('abort', stop);

  const heard = (): void => {
    clearTimeout(idle);
    if (!over) idle = setTimeout(slow, request.idle_ms);
  };

  client.dispatch(
    {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers: HEADERS,
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    {
      onRequestStart: (own) => {
        controller = own;
        if (over) own.abort(ABORT_AFTER_RESULT);
        stage = 'waiting';
      },
      onResponseStart: (own, code, headers) => {
        if (code < 200) return;
        stage = 'reading';
        head = headOf(code, headers);
        const refused = refusedBy(code, headers, request.most_bytes);
        if (refused !== null && 'location' in refused) {
          void end(() => ({ tag: 'elsewhere', location: refused.location }), false);
          return;
        }
        if (refused !== null) {
          fail(refused);
          return;
        }
        file = receiveFile(
          request.file,
          () => {
            own.resume();
            heard();
          },
          () => fail(NOT_STORED),
        );
        heard();
      },
      onResponseData: (own, chunk) => {
        request.on_bytes?.(chunk.length);
        if (over || file === null) return;
        heard();
        if (file.size_bytes() + chunk.length > request.most_bytes) fail(tooLarge(request.most_bytes));
        else if (!file.write(chunk)) {
          own.pause();
          clearTimeout(idle);
        }
      },
      onResponseEnd: () => {
        const [received, answered] = [file, head];
        if (received !== null && answered !== null) void end(() => completed(received, answered), true);
      },
      onResponseError: (_own, error) => fail(faultAfterConnect(error)),
    },
  );
  return promise;
};
