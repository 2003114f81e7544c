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

/** `message` is for people. It is shown after the name of what was called, and contains no address. */
export type PostFault = { readonly code: PostFaultCode; readonly message: string };

export type PostResult =
  | {
      readonly tag: 'answered';
      readonly status: number;
      readonly retry_after: string | null;
      /** The received part of the body, up to the limit. */
      readonly response: Buffer;
      /** Rounded down, so that the start plus this is never later than the clock at the end. */
      readonly duration_ms: number;
    }
  | ({
      readonly tag: 'failed';
      /** Status of a partial answer; null if no answer had begun. */
      readonly status: number | null;
      readonly duration_ms: number;
    } & PostFault);

export type PostRequest = {
  readonly url: string;
  /** `Host` and `Content-Length` are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Limit of the whole request: look-up, connection, TLS, headers and body of the answer. */
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
};
