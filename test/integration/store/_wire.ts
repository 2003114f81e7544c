import { connect, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** A proxy to a store that forwards everything and reports each command of a client. */
export type WatchedStore = { readonly url: string; readonly stop: () => Promise<void> };

const HEADER_BYTES = 16;
const FLAGS_BYTES = 4;
/** OP_MSG, the only kind of message after the handshake. */
const MESSAGE = 2013;

const commandOf = (message: Buffer): Document | null => {
  if (message.readInt32LE(12) !== MESSAGE) return null;
  const command: Document = {};
  for (let at = HEADER_BYTES + FLAGS_BYTES; at < message.length; ) {
    const kind = message[at];
    at += 1;
    const size_bytes = message.readInt32LE(at);
    if (kind === 0) {
      Object.assign(command, BSON.deserialize(message.subarray(at, at + size_bytes)));
    } else {
      const nameEnd = message.indexOf(0, at + 4);
      const documents: Document[] = [];
      for (let next = nameEnd + 1; next < at + size_bytes; ) {
        const document_bytes = message.readInt32LE(next);
        documents.push(BSON.deserialize(message.subarray(next, next + document_bytes)));
        next += document_bytes;
      }
      command[message.toString('utf8', at + 4, nameEnd)] = documents;
    }
    at += size_bytes;
  }
  return command;
};

const messages = (each: (message: Buffer) => void): ((chunk: Buffer) => void) => {
  let waiting = Buffer.alloc(0);
  return (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= HEADER_BYTES && waiting.length >= waiting.readInt32LE(0)) {
      const size_bytes = waiting.readInt32LE(0);
      each(waiting.subarray(0, size_bytes));
      waiting = waiting.subarray(size_bytes);
    }
  };
};

/**
 * @param url of a server without TLS, by its own address
 * @param seen receives each command, in order per connection
 */
export const watchStore = async (url: string, seen: (command: Document) => void): Promise<WatchedStore> => {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const store = connect({ host: target.hostname, port: Number(target.port) });
    const read = messages((message) => {
      const command = commandOf(message);
      if (command !== null) seen(command);
    });
    client.on('data', read);
    client.pipe(store);
    store.pipe(client);
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the door has no port');
  const watched = new URL(url);
  watched.hostname = '127.0.0.1';
  watched.port = String(address.port);
  watched.searchParams.set('directConnection', 'true');
  return {
    url: watched.href,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
