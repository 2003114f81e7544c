import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';

export type Refusal = { readonly status: number; readonly code: string } | 'stalled';

export type RefusingProxy = {
  readonly port: number;
  readonly refuse: (part: string, refusal: Refusal) => void;
  readonly heal: (part: string) => void;
  readonly refused: () => number;
  readonly close: () => Promise<void>;
};

export const startRefusingProxy = async (to_port: number): Promise<RefusingProxy> => {
  const sick = new Map<string, Refusal>();
  const stalled = new Set<ServerResponse>();
  let refused = 0;
  const server = createServer((incoming, outgoing) => {
    const path = decodeURIComponent(incoming.url ?? '');
    const refusal = [...sick].find(([part]) => path.includes(part))?.[1];
    if (refusal !== undefined) {
      refused += 1;
      incoming.resume();
      if (refusal === 'stalled') {
        stalled.add(outgoing);
        return;
      }
      const { status, code } = refusal;
      outgoing.writeHead(status, { 'x-ms-error-code': code, 'content-type': 'application/xml' });
      outgoing.end(
        `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
      );
      return;
    }
    const { method, headers, url } = incoming;
    const forwarded = request({ host: '127.0.0.1', port: to_port, method, headers, path: url }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    refuse: (part, refusal) => void sick.set(part, refusal),
    heal: (part) => {
      sick.delete(part);
      for (const one of stalled) one.destroy();
      stalled.clear();
    },
    refused: () => refused,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
