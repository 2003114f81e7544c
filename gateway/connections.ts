import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { ignoreFurtherInput, isClosing } from '../platform/http-server/last-answer.ts';
import { answerSocket } from '../platform/http-server/socket-errors.ts';
import { addressGroup } from './client-address.ts';
import { type ConnectionPhase, EVICTION_TIMEOUTS, EvictionQueue, type EvictionTimeouts } from './eviction-queue.ts';
import { Mutex } from './mutex.ts';

export type Connection = {
  readonly socket: Socket;
  readonly ofProxy: boolean;
  /** The client that the connection counts for; null for a proxy's connection between requests. */
  address: string | null;
  /** Pipelined requests are handled one at a time. */
  readonly mutex: Mutex;
  /** Once the phase is `authenticated`, it changes only when a key is refused. */
  phase: ConnectionPhase;
  unanswered: number;
  held_bytes: number;
};

export type ConnectionLimits = {
  readonly most: number;
  readonly most_per_address: number;
  readonly most_held_bytes: number;
  readonly isTrustedProxy: (address: string) => boolean;
  readonly eviction_timeouts?: EvictionTimeouts;
};

/** A label of `gateway_connections_ended_total`. */
export type CloseReason = 'refused' | 'made_room' | 'too_many_requests';

type Group = { count: number; readonly evictable: EvictionQueue<Connection> };

const MAX_PIPELINED = 32;

const TOO_MANY = 'too many connections from this address; close some, or try again';
const FULL = 'too many connections; try again';

/**
 * The open connections. At the total limit or the limit of an address, a new connection evicts one that waits for its
 * client. So slow, idle or keyless clients cannot lock out others, even of the same address.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #onClosed: (ended: CloseReason) => void;
  readonly #all = new Map<Socket, Connection>();
  readonly #evictable: EvictionQueue<Connection>;
  readonly #groups = new Map<string, Group>();
  #held_bytes = 0;

  constructor(limits: ConnectionLimits, onClosed: (reason: CloseReason) => void) {
    this.#limits = limits;
    this.#onClosed = onClosed;
    this.#evictable = this.#newEvictionQueue();
  }

  get count(): number {
    return this.#all.size;
  }

  get held_bytes(): number {
    return this.#held_bytes;
  }

  /** Answers 429 and closes the socket if there is no room. */
  open(socket: Socket): Connection | null {
    const peer = socket.remoteAddress ?? '';
    const ofProxy = this.#limits.isTrustedProxy(peer);
    const address = ofProxy ? null : addressGroup(peer);
    if (address !== null && !this.#hasRoomFor(address)) return this.#refuse(socket, TOO_MANY);
    if (this.#all.size >= this.#limits.most && !this.#makeRoom(this.#evictable)) return this.#refuse(socket, FULL);
    const phase = ofProxy ? 'authenticated' : 'new';
    const connection: Connection = {
      ...{ socket, ofProxy, phase, address: null, mutex: new Mutex() },
      ...{ unanswered: 0, held_bytes: 0 },
    };
    this.#all.set(socket, connection);
    this.#count(connection, address);
    socket.once('close', () => this.#remove(connection));
    return connection;
  }

  /**
   * The connection of a socket; null if it is closed. Opens the connection if the socket is older than the gateway's
   * listener.
   */
  of(socket: Socket): Connection | null {
    return this.#all.get(socket) ?? (socket.destroyed || isClosing(socket) ? null : this.open(socket));
  }

  /**
   * Counts a proxy's connection for the client of the current request, until `detachClient`.
   *
   * @returns false if the client has too many connections
   */
  attachClient(connection: Connection, address: string): boolean {
    if (!this.#hasRoomFor(address)) return false;
    connection.phase = 'new';
    this.#count(connection, address);
    return true;
  }

  detachClient(connection: Connection): void {
    connection.phase = 'authenticated';
    if (this.#all.has(connection.socket)) this.#count(connection, null);
  }

  /** The gateway now waits for the client, so the connection may be evicted. */
  makeEvictable(connection: Connection): void {
    this.pin(connection);
    if (!this.#all.has(connection.socket)) return;
    const { address, phase } = connection;
    const now_ms = performance.now();
    this.#evictable.add(connection, phase, now_ms);
    if (address !== null) this.#groupOf(address).evictable.add(connection, phase, now_ms);
  }

  /** Changes the phase and restarts the timeout. An authenticated connection stays authenticated. */
  makeEvictableAs(connection: Connection, phase: ConnectionPhase): void {
    if (connection.phase === phase && this.#evictable.has(connection)) return;
    if (connection.phase !== 'authenticated') connection.phase = phase;
    this.makeEvictable(connection);
  }

  /** Counts every request, even those that are not forwarded. @returns false if the connection is closed */
  beginRequest(socket: Socket): boolean {
    const connection = this.#all.get(socket);
    if (connection === undefined) return false;
    connection.unanswered += 1;
    if (connection.unanswered <= MAX_PIPELINED) return true;
    // The parser may already have read later requests of this connection, which must not be handled.
    ignoreFurtherInput(socket);
    this.#close(connection, 'too_many_requests');
    return false;
  }

  /** A request without a valid key makes its connection the first to be evicted. */
  afterRequest(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    connection.unanswered -= 1;
    if (connection.mutex.locked) return;
    if (connection.phase !== 'new' && connection.phase !== 'authenticating') return;
    this.makeEvictableAs(connection, 'unauthenticated');
  }

  /** The client now waits for the gateway, so the connection is not evicted. */
  pin(connection: Connection): void {
    this.#evictable.delete(connection);
    if (connection.address !== null) this.#groups.get(connection.address)?.evictable.delete(connection);
  }

  /** @returns false if memory is full and no connection with reserved memory can be evicted */
  reserveBytes(connection: Connection, bytes: number): boolean {
    while (this.#held_bytes + bytes > this.#limits.most_held_bytes) {
      const evicted = this.#evictable.first(performance.now(), (one) => one !== connection && one.held_bytes > 0);
      if (evicted === null) return false;
      this.#close(evicted, 'made_room');
    }
    if (!this.#all.has(connection.socket)) return false;
    connection.held_bytes += bytes;
    this.#held_bytes += bytes;
    return true;
  }

  releaseBytes(connection: Connection, bytes: number): void {
    const released = Math.min(bytes, connection.held_bytes);
    connection.held_bytes -= released;
    this.#held_bytes -= released;
  }

  #newEvictionQueue(): EvictionQueue<Connection> {
    return new EvictionQueue(this.#limits.eviction_timeouts ?? EVICTION_TIMEOUTS);
  }

  #groupOf(address: string): Group {
    const known = this.#groups.get(address);
    if (known !== undefined) return known;
    const group = { count: 0, evictable: this.#newEvictionQueue() };
    this.#groups.set(address, group);
    return group;
  }

  #hasRoomFor(address: string): boolean {
    const group = this.#groups.get(address);
    return group === undefined || group.count < this.#limits.most_per_address || this.#makeRoom(group.evictable);
  }

  #count(connection: Connection, address: string | null): void {
    this.#discount(connection);
    connection.address = address;
    if (address !== null) this.#groupOf(address).count += 1;
    this.makeEvictable(connection);
  }

  #discount(connection: Connection): void {
    this.pin(connection);
    const { address } = connection;
    const group = address === null ? undefined : this.#groups.get(address);
    if (address === null || group === undefined) return;
    group.count -= 1;
    if (group.count === 0) this.#groups.delete(address);
  }

  #makeRoom(evictable: EvictionQueue<Connection>): boolean {
    const evicted = evictable.first(performance.now(), () => true);
    if (evicted !== null) this.#close(evicted, 'made_room');
    return evicted !== null;
  }

  #close(connection: Connection, why: CloseReason): void {
    this.#remove(connection);
    connection.socket.destroy();
    this.#onClosed(why);
  }

  #refuse(socket: Socket, message: string): null {
    this.#onClosed('refused');
    answerSocket(socket, { status: 429, code: 'rate_limited', message }, randomUUID(), { 'Retry-After': '1' });
    socket.destroySoon();
    return null;
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return;
    this.#discount(connection);
    this.releaseBytes(connection, connection.held_bytes);
  }
}
