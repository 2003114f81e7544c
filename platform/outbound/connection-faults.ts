import type { PostFault, PostFaultCode } from './post-result.ts';

export const STOPPED_FAULT: PostFault = { code: 'stopped', message: 'The service stopped the request.' };

/** Carries a fault through undici, which passes errors on unchanged. */
export class PostError extends Error {
  readonly fault: PostFault;

  constructor(fault: PostFault) {
    super(fault.message);
    this.fault = fault;
  }
}

const CODES: Readonly<Record<string, PostFaultCode>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  UND_ERR_DESTROYED: 'stopped',
  UND_ERR_CLOSED: 'stopped',
};

const MESSAGES: Readonly<Partial<Record<PostFaultCode, string>>> = {
  connection_refused: 'The connection was refused.',
  connection_reset: 'The connection was closed before the answer was complete.',
  timeout: 'The connection timed out.',
  unreachable: 'The host is unreachable.',
  stopped: STOPPED_FAULT.message,
};

const CERTIFICATES: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is for another name.',
  CERT_HAS_EXPIRED: 'The TLS certificate has expired.',
  CERT_NOT_YET_VALID: 'The TLS certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The TLS certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The TLS certificate is from an unknown authority.',
  UNABLE_TO_GET_ISSUER_CERT: 'The TLS certificate is from an unknown authority.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The TLS certificate is from an unknown authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The TLS certificate came without the certificate of its issuer, or is from an unknown authority.',
};

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

const known = (error: Error): PostFault | null => {
  const code = CODES[codeOf(error)];
  return code === undefined ? null : { code, message: MESSAGES[code] ?? code };
};

/** The error came before the TLS connection was complete. `reached`: the host had accepted a connection. */
export const faultBeforeConnect = (error: Error, reached: boolean): PostFault => {
  if (error instanceof PostError) return error.fault;
  const code = codeOf(error);
  const shown = code === '' ? '' : ` (${code})`;
  if (CERTIFICATES[code] !== undefined) return { code: 'tls', message: CERTIFICATES[code] };
  const other: PostFault = reached
    ? { code: 'tls', message: `The TLS connection failed${shown}.` }
    : { code: 'unreachable', message: `The connection failed${shown}.` };
  return known(error) ?? other;
};

export const faultAfterConnect = (error: Error): PostFault => {
  if (error instanceof PostError) return error.fault;
  const code = codeOf(error);
  // Only this combination means a closed connection; other errors with this code are protocol violations.
  const ended = code === 'UND_ERR_SOCKET' && ['other side closed', 'closed'].includes(error.message);
  if (ended) return { code: 'connection_reset', message: MESSAGES.connection_reset ?? code };
  if (code === 'UND_ERR_INVALID_ARG') return { code: 'protocol', message: 'The request has an invalid form.' };
  if (code.startsWith('ERR_SSL_')) return { code: 'tls', message: `The TLS connection failed (${code}).` };
  return known(error) ?? { code: 'protocol', message: 'The answer was not valid HTTP/1.1.' };
};
