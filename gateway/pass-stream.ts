import type { Response } from 'restify';
import { sendStream } from '../platform/http-server/replies.ts';
import type { Connection, Connections } from './connections.ts';
import type { UpstreamStream } from './upstream.ts';

export type ForwardStreamDependencies = {
  readonly connection: Connection;
  readonly connections: Pick<Connections, 'pin' | 'makeEvictable'>;
  readonly read_timeout_ms: number;
  readonly stopping: AbortSignal;
};

/**
 * Forwards a stream of the API to the client. While the client does not read, the gateway stops reading from the API,
 * and the connection may be evicted.
 */
export const forwardStream = async (
  stream: UpstreamStream,
  response: Response,
  headers: Readonly<Record<string, string | readonly string[]>>,
  { connection, connections, read_timeout_ms, stopping }: ForwardStreamDependencies,
): Promise<void> => {
  let late: NodeJS.Timeout | undefined;
  const disconnect = (): void => void response.destroy();
  const onPart = (part: Buffer): boolean => {
    if (response.writableEnded || response.destroyed || response.write(part)) return true;
    connections.makeEvictable(connection);
    late ??= setTimeout(disconnect, read_timeout_ms);
    return false;
  };
  const goOn = (): void => {
    clearTimeout(late);
    late = undefined;
    connections.pin(connection);
    stream.resume();
  };
  const stop = (): void => {
    stream.abort();
    response.end();
  };
  // An open stream proves valid credentials.
  connections.pin(connection);
  await sendStream(response, stream.status, headers, () => {
    response.on('drain', goOn);
    response.once('close', stream.abort);
    stopping.addEventListener('abort', stop, { once: true });
    if (stopping.aborted) stop();
    // If the API broke off the stream, the gateway disconnects the client too. The client reconnects in both cases.
    void stream.read(onPart).then((is_whole) => (is_whole || stopping.aborted ? response.end() : disconnect()));
  });
  clearTimeout(late);
  stopping.removeEventListener('abort', stop);
};
