import type { IncomingMessage } from 'node:http';

const hosts = (raw: readonly string[]): number => {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.length === 4 && raw[i]?.toLowerCase() === 'host') count += 1;
  return count;
};

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Null if every proxy reads the end and the host of the request in the same way (no request smuggling). Node's parser
 * already refuses two lengths, a length beside chunks, folded headers and bare line feeds.
 */
export const framingFault = (request: IncomingMessage): string | null => {
  const { httpVersion, headers, rawHeaders } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `HTTP/${httpVersion} is not supported: use HTTP/1.1`;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be "chunked" and nothing else';
    if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding: send a Content-Length';
    if (headers['content-length'] !== undefined) return 'send either Transfer-Encoding or Content-Length, not both';
  }
  return hosts(rawHeaders) > 1 ? 'send exactly one Host header' : null;
};
