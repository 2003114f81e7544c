import type { PostFaultCode } from './post-result.ts';

/**
 * Why a file was not fetched. `status`: the server has no file to give; `too_large`, `encoded`, `incomplete`: what it
 * gave is not what may be taken; `not_stored`: it could not be written here.
 */
export type FetchFaultCode =
  | PostFaultCode
  | 'status'
  | 'redirects'
  | 'too_large'
  | 'encoded'
  | 'incomplete'
  | 'not_stored';

/** `message` is for a person, follows the name of what was to be fetched, and tells no address. */
export type FetchFault = {
  readonly tag: 'failed';
  readonly code: FetchFaultCode;
  readonly message: string;
  /** Of the answer, where there was one. */
  readonly status: number | null;
};

export type FetchedFile = {
  readonly tag: 'fetched';
  /** Of the bytes, lowercase hex. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** As the server calls it, which is not to be believed; null where it does not say. */
  readonly content_type: string | null;
};

export type FetchResult = FetchedFile | FetchFault;

export type FetchRequest = {
  readonly url: string;
  /** Where to put it. Nothing may be there yet, and nothing is there after a fault. */
  readonly file: string;
  readonly most_bytes: number;
  /** For all of it: look-ups, connections, redirects and the file. */
  readonly timeout_ms: number;
  /** Between two pieces of the file. */
  readonly idle_ms: number;
  readonly most_redirects: number;
  /** Called with every chunk of the file as it arrives, also if the fetch fails later. */
  readonly on_bytes?: (bytes: number) => void;
  /** Cuts it off: the result is `stopped`. */
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

/** Whether a retry may succeed: the server or the network is at fault, not the request. */
export const mayPass = ({ code, status }: FetchFault): boolean =>
  code === 'status' ? status !== null && (status >= 500 || PASSING_STATUSES.includes(status)) : PASSING[code] === true;
