import type { PostFaultCode } from './post-result.ts';

/**
 * - `status`: the server answered with an error status.
 * - `too_large`, `encoded`, `incomplete`: the answer is not acceptable.
 * - `not_stored`: the file could not be written locally.
 */
export type FetchFaultCode =
  | PostFaultCode
  | 'status'
  | 'redirects'
  | 'too_large'
  | 'encoded'
  | 'incomplete'
  | 'not_stored';

/** `message` is for people. It is shown after the name of what was fetched, and contains no address. */
export type FetchFault = {
  readonly tag: 'failed';
  readonly code: FetchFaultCode;
  readonly message: string;
  readonly status: number | null;
};

export type FetchedFile = {
  readonly tag: 'fetched';
  readonly sha256: string;
  readonly size_bytes: number;
  /** The server states this type, so it may be wrong; null if the server states none. */
  readonly content_type: string | null;
};

export type FetchResult = FetchedFile | FetchFault;

export type FetchRequest = {
  readonly url: string;
  /** The file must not exist before, and does not exist after a fault. */
  readonly file: string;
  readonly most_bytes: number;
  /** Limit of the whole fetch: look-ups, connections, redirects and the file. */
  readonly timeout_ms: number;
  /** Limit between two chunks of the file. */
  readonly idle_ms: number;
  readonly most_redirects: number;
  /** Called with the size of every chunk as it arrives, also if the fetch fails later. */
  readonly on_bytes?: (bytes: number) => void;
  readonly signal: AbortSignal;
};

const PASSING_STATUSES: readonly number[] = [408, 425, 429];

const PASSING: Readonly<Partial<Record<FetchFaultCode, true>>> = {
  connection_refused: true,
  connection_reset: true,
  timeout: true,
  unreachable: true,
  incomplete: true,
};

/** A retry may succeed if the server or the network is at fault, not the request. */
export const isTransientFetchFault = ({ code, status }: FetchFault): boolean =>
  code === 'status' ? status !== null && (status >= 500 || PASSING_STATUSES.includes(status)) : PASSING[code] === true;
