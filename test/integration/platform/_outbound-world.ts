import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either.js';
import { type Outbound, type OutboundLimits, openOutbound } from '../../../platform/outbound/https-post.ts';
import { type OutboundRules, outboundRules } from '../../../platform/outbound/outbound-rules.ts';
import type { PostRequest } from '../../../platform/outbound/post-result.ts';
import { type Certificate, createAuthority, issueCertificate } from '../../../stack/tls/certificate.ts';

/** Closes everything that a test opens, in reverse order, when the test ends. */
export type Closing = { readonly teardown: (close: () => unknown) => void };

export const authority = await createAuthority();

export const certificateFor = (...names: readonly string[]): Promise<Certificate> => issueCertificate(authority, names);

export type RulesOptions = {
  readonly allowed?: readonly string[];
  /** Null allows any port. */
  readonly ports?: readonly number[] | null;
  readonly dns_server?: string;
  readonly trusts_own?: boolean;
};

/** The rules as a process reads them at its start. */
export const rulesOf = ({ allowed = [], ports = null, dns_server, trusts_own = true }: RulesOptions): OutboundRules => {
  const folder = mkdtempSync(join(tmpdir(), 'outbound-'));
  const ca_file = join(folder, 'ca.pem');
  writeFileSync(ca_file, authority.cert);
  const rules = outboundRules({
    allowed_ranges: [...allowed],
    allowed_ports: ports,
    ca_file: trusts_own ? ca_file : undefined,
    dns_servers: dns_server === undefined ? undefined : [dns_server],
  });
  rmSync(folder, { recursive: true });
  if (isLeft(rules)) throw new Error(rules.left);
  return rules.right;
};

export const outboundFor = (t: Closing, options: RulesOptions, limits: Partial<OutboundLimits> = {}): Outbound => {
  const outbound = openOutbound(rulesOf(options), limits);
  t.teardown(outbound.close);
  return outbound;
};

export const requestTo = (url: string, changes: Partial<PostRequest> = {}): PostRequest => ({
  url,
  headers: { 'Content-Type': 'application/json' },
  body: Buffer.from('{"a":1}'),
  timeout_ms: 10_000,
  signal: new AbortController().signal,
  ...changes,
});

export type Listener = {
  readonly port: number;
  readonly connections: () => number;
  readonly sockets: () => readonly Socket[];
};

export const startListener = async (
  t: Closing,
  address: string,
  greet: (socket: Socket) => void = (socket) => socket.destroy(),
): Promise<Listener> => {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    greet(socket);
  });
  server.listen(0, address);
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.length, sockets: () => sockets };
};
