/** Why nothing, or not all of it, came back. */
export type PostFaultCode =
  | 'address_refused'
  | 'name_not_found'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'stopped'
  | 'unreachable';

/** `message` is for a person, follows the name of what was called, and tells no address. */
export type PostFault = { readonly code: PostFaultCode; readonly message: string };

/** How one request ended. */
export type PostResult =
  | {
      readonly tag: 'answered';
      readonly status: number;
      /** The `Retry-After` header as it came. */
      readonly retry_after: string | null;
      /** The body as far as it was received, up to the limit. */
      readonly response: Buffer;
      /** Rounded down: a clock that is read at the end shows no less than the beginning and this. */
      readonly duration_ms: number;
    }
  | ({
      readonly tag: 'failed';
      /** Of an answer that had begun; null where none had. */
      readonly status: number | null;
      readonly duration_ms: number;
    } & PostFault);

export type PostRequest = {
  readonly url: string;
  /** `Host` and `Content-Length` are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** For all of it: look-up, connection, TLS, headers and body of the answer. */
  readonly timeout_ms: number;
  /** Cuts the request off: the result is `stopped`. */
  readonly signal: AbortSignal;
};
