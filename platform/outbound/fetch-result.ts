import type { PostFaultCode } from './post-result.ts';

/**
 * Why a file was not fetched. With `status`, the server has no file. After `too_large`, `encoded` or `incomplete`, the
 * answer is not acceptable. With `not_stored`, the file could not be written locally.
 */
export type FetchFaultCode =
  | PostFaultCode
  | 'status'
  | 'redirects'
  | 'too_large'
  | 'encoded'
  | 'incomplete'
  | 'not_stored';

/** `message` is for a person. It follows the name of the fetched thing, and contains no address. */
export type FetchFault = {
  readonly tag: 'failed';
  readonly code: FetchFaultCode;
  readonly message: string;
  /** Status of the answer, if there was one. */
  readonly status: number | null;
};

export type FetchedFile = {
  readonly tag: 'fetched';
  /** Hash of the bytes, lowercase hex. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** Content type that the server states, which may be wrong; null if it states none. */
  readonly content_type: string | null;
};

export type FetchResult = FetchedFile | FetchFault;

export type FetchRequest = {
  readonly url: string;
  /** Path of the new file. It must not exist before, and does not exist after a fault. */
  readonly file: string;
  readonly most_bytes: number;
  /** Limit of the whole fetch: look-ups, connections, redirects and the file. */
  readonly timeout_ms: number;
  /** Limit between two chunks of the file. */
  readonly idle_ms: number;
  readonly most_redirects: number;
  /** Called with the size of every chunk as it arrives, also if the fetch fails later. */
  readonly on_bytes?: (bytes: number) => void;
  /** Aborts the fetch: the result is `stopped`. */
  readonly signal: AbortSignal;
};

/** Error statuses that may be temporary. */
const PASSING_STATUSES: readonly number[] = [408, 425, 429];

const PASSING: Readonly<Partial<Record<FetchFaultCode, true>>> = {
  connection_refused: true,
  connection_reset: true,
  timeout: true,
  unreachable: true,
  incomplete: true,
};

/** Whether a retry may succeed, because the server or the network is at fault instead of the request. */
export const mayPass = ({ code, status }: FetchFault): boolean =>
  code === 'status' ? status !== null && (status >= 500 || PASSING_STATUSES.includes(status)) : PASSING[code] === true;
