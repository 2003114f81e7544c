import type { IncomingMessage } from 'node:http';

const hosts = (raw: readonly string[]): number => {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.length === 4 && raw[i]?.toLowerCase() === 'host') count += 1;
  return count;
};

/** Whether a body follows the head. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Why the end or the host of a request is ambiguous, so that a proxy may read it differently (request smuggling). Null
 * if it is not ambiguous. Node's parser itself refuses most such requests: two lengths, a length beside chunks, folded
 * headers, bare line feeds.
 */
export const framingFault = (request: IncomingMessage): string | null => {
  const { httpVersion, headers, rawHeaders } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `HTTP/${httpVersion} is not spoken here: use HTTP/1.1`;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be "chunked" and nothing else';
    if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding: send a Content-Length';
    if (headers['content-length'] !== undefined) return 'Transfer-Encoding and Content-Length exclude each other';
  }
  return hosts(rawHeaders) > 1 ? 'there is more than one Host header' : null;
};
