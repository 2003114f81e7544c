import type { IncomingMessage } from 'node:http';

/** The body of a request to a server without restify; null if it exceeds `most_bytes`. */
export const readBoundedBody = async (request: IncomingMessage, most_bytes: number): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let size_bytes = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size_bytes += bytes.length;
    if (size_bytes > most_bytes) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};
