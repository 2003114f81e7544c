import { connect } from 'node:net';
import type { Answer } from './_client.ts';

const ANSWER_WITHIN_MS = 60_000;
const HEAD_END = '\r\n\r\n';

const headersOf = (lines: readonly string[]): Headers => {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
};

/** Every complete response in the bytes. A response without a length never counts; the tests cause none. */
const responsesIn = (bytes: Buffer): readonly Answer[] => {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return [];
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const rest = bytes.subarray(end + HEAD_END.length);
  if (status === 100) return responsesIn(rest);
  const headers = headersOf(lines);
  const length = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  if (rest.length < length) return [];
  const text = rest.subarray(0, length).toString('utf8');
  const json = headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const body: unknown = json ? JSON.parse(text) : null;
  return [{ status, headers, text, body }, ...responsesIn(rest.subarray(length))];
};

/**
 * Sends raw bytes and reads until there are `count` responses or the server closes.
 *
 * @param end whether to half-close after the bytes, as an aborting client does
 * @returns fewer responses if the server closed before; rejects after ten seconds without traffic
 */
export const sendRaw = (
  base_url: string,
  bytes: string | Uint8Array,
  { end = false, count = 1 }: { readonly end?: boolean; readonly count?: number } = {},
): Promise<readonly Answer[]> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base_url);
    let came = Buffer.alloc(0);
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      if (end) socket.end();
    });
    const settle = (over: boolean): void => {
      try {
        const responses = responsesIn(came);
        if (!over && responses.length < count) return;
        resolve(responses);
      } catch (error) {
        reject(error);
      }
      clearTimeout(timer);
      socket.destroy();
    };
    const timer = setTimeout(() => {
      socket.destroy();
      const shown = [bytes, came].map((one) => JSON.stringify(String(one).slice(0, 200)));
      reject(new Error(`not answered within ${ANSWER_WITHIN_MS} ms: ${shown.join(' came ')}`));
    }, ANSWER_WITHIN_MS);
    socket.on('data', (chunk: Buffer) => {
      came = Buffer.concat([came, chunk]);
      settle(false);
    });
    socket.on('error', () => settle(true));
    socket.on('close', () => settle(true));
  });
