import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { buildConnector } from 'undici';
import type { ResolveAddresses } from './checked-addresses.ts';
import { faultBeforeConnect, PostError, STOPPED_FAULT } from './connection-faults.ts';

export type Connector = {
  readonly connect: buildConnector.connector;
  readonly close: () => void;
};

export type ConnectorOptions = {
  readonly addressesOf: ResolveAddresses;
  readonly trust: SecureContext;
  /** Limit for look-up, connection and TLS together. */
  readonly within_ms: number;
};

/** If an address does not answer within this time, the next address is tried. */
const EACH_ADDRESS_MS = 1_000;

/** Returns the checked addresses, even if the name has other addresses by now. */
const only =
  (addresses: readonly string[]): LookupFunction =>
  (_host, _options, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );

/** Opens TLS connections to checked addresses. The certificate must match the host's name. */
export const openConnector = ({ addressesOf, trust, within_ms }: ConnectorOptions): Connector => {
  const connecting = new Set<TLSSocket>();
  let closed = false;

  const dial = (
    host: string,
    port: number,
    addresses: readonly string[],
    left_ms: number,
    done: buildConnector.Callback,
  ): void => {
    const options: ConnectionOptions & Omit<TcpNetConnectOpts, 'host'> = {
      host,
      port,
      lookup: only(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: EACH_ADDRESS_MS,
      servername: isIP(host) === 0 ? host : '',
      secureContext: trust,
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could disable it.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      noDelay: true,
    };
    const socket = connectTls(options);
    connecting.add(socket);
    let reached = false;
    const fail = (error: Error): void => {
      socket.destroy();
      if (end()) done(new PostError(faultBeforeConnect(error, reached)), null);
    };
    const timer = setTimeout(
      () => fail(new PostError({ code: 'timeout', message: 'The connection timed out.' })),
      left_ms,
    );
    const end = (): boolean => {
      clearTimeout(timer);
      return connecting.delete(socket);
    };
    socket.once('connect', () => {
      reached = true;
    });
    socket.once('secureConnect', () => {
      if (end()) done(null, socket);
    });
    // Never removed. After the connect, it only destroys the socket, and undici's own listener reports the error.
    socket.on('error', fail);
    socket.once('close', () => fail(new PostError(STOPPED_FAULT)));
  };

  return {
    connect: ({ hostname, port }, done) => {
      const began = performance.now();
      void addressesOf(hostname).then((found) => {
        if (isLeft(found)) return done(new PostError(found.left), null);
        if (closed) return done(new PostError(STOPPED_FAULT), null);
        const left_ms = Math.max(0, within_ms - (performance.now() - began));
        return dial(hostname, port === '' ? 443 : Number(port), found.right, left_ms, done);
      });
    },
    close: () => {
      closed = true;
      for (const socket of connecting) socket.destroy();
    },
  };
};
