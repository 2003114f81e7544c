import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { endAt, isEnded } from '../platform/http-server/last-answer.ts';
import { answerSocket } from '../platform/http-server/socket-errors.ts';
import { addressGroup } from './client-address.ts';
import { type ConnectionPhase, EVICTION_TIMEOUTS, EvictionQueue, type EvictionTimeouts } from './eviction-queue.ts';
import { Mutex } from './mutex.ts';

export type Connection = {
  readonly socket: Socket;
  /** Connection of a trusted proxy; it carries requests of several clients. */
  readonly ofProxy: boolean;
  /** The client that the connection counts for; null for a trusted proxy's connection between requests. */
  address: string | null;
  /** Pipelined requests are handled one at a time. */
  readonly mutex: Mutex;
  /** Stays `authenticated` until a key is refused. */
  phase: ConnectionPhase;
  /** Requests without a sent answer. */
  unanswered: number;
  /** Bytes of its request bodies and answers in memory. */
  held_bytes: number;
};

export type ConnectionLimits = {
  readonly most: number;
  readonly most_per_address: number;
  /** Limit of the request bodies and answers of all clients in memory, bytes. */
  readonly most_held_bytes: number;
  readonly isTrustedProxy: (address: string) => boolean;
  readonly eviction_timeouts?: EvictionTimeouts;
};

/** Why the gateway closed a connection; a label of `gateway_connections_ended_total`. */
export type CloseReason = 'refused' | 'made_room' | 'too_many_requests';

type Group = { count: number; readonly evictable: EvictionQueue<Connection> };

/** Maximum of unanswered requests on one connection. */
const MAX_PIPELINED = 32;

const TOO_MANY = 'too many connections from this address; close some, or try again';
const FULL = 'too many connections; try again';

/**
 * Connections of clients. At the total limit or that of one address, a connection that waits for its client is evicted.
 * Clients that are slow, idle or without a key therefore cannot lock out others, even of the same address.
 * @param onClosed called for each connection that the gateway closes
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

  /** Admits a new connection, or answers 429 and closes it. */
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

  /** Null after the connection is closed. If the connection is older than the gateway's listener, it is opened now. */
  of(socket: Socket): Connection | null {
    return this.#all.get(socket) ?? (socket.destroyed || isEnded(socket) ? null : this.open(socket));
  }

  /**
   * Counts a proxy's connection for the client of its request, until `leaveClient`.
   * @returns false if that client has too many connections
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

  /** From now on the gateway waits for the client, so the connection may be evicted. */
  makeEvictable(connection: Connection): void {
    this.pin(connection);
    if (!this.#all.has(connection.socket)) return;
    const { address, phase } = connection;
    const now_ms = performance.now();
    this.#evictable.add(connection, phase, now_ms);
    if (address !== null) this.#groupOf(address).evictable.add(connection, phase, now_ms);
  }

  /**
   * Makes the connection evictable in another phase. An authenticated connection stays authenticated, and its timeout
   * starts again.
   */
  makeEvictableAs(connection: Connection, phase: ConnectionPhase): void {
    if (connection.phase === phase && this.#evictable.has(connection)) return;
    if (connection.phase !== 'authenticated') connection.phase = phase;
    this.makeEvictable(connection);
  }

  /**
   * Counts every request, also those that are not forwarded. Closes a connection with too many unanswered requests.
   * @returns false if the connection is closed
   */
  beginRequest(socket: Socket): boolean {
    const connection = this.#all.get(socket);
    if (connection === undefined) return false;
    connection.unanswered += 1;
    if (connection.unanswered <= MAX_PIPELINED) return true;
    // The parser has already read later requests of this connection; they must not be handled.
    endAt(socket);
    this.#close(connection, 'too_many_requests');
    return false;
  }

  /** The request had no valid key, so this connection is now evicted before new ones. */
  afterRequest(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    connection.unanswered -= 1;
    if (connection.mutex.locked) return;
    if (connection.phase !== 'new' && connection.phase !== 'authenticating') return;
    this.makeEvictableAs(connection, 'unauthenticated');
  }

  /** From now on the client waits for the gateway, so the connection is not evicted. */
  pin(connection: Connection): void {
    this.#evictable.delete(connection);
    if (connection.address !== null) this.#groups.get(connection.address)?.evictable.delete(connection);
  }

  /**
   * Reserves memory for a connection, until it is released or the connection ends.
   * @returns false if the memory is full and no connection with reserved memory can be evicted
   */
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
    const held = Math.min(bytes, connection.held_bytes);
    connection.held_bytes -= held;
    this.#held_bytes -= held;
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

  /** Counts the connection for this address instead of the previous one. */
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
    answerSocket(socket, 429, randomUUID(), message, { 'Retry-After': '1' });
    socket.destroySoon();
    return null;
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return;
    this.#discount(connection);
    this.releaseBytes(connection, connection.held_bytes);
  }
}
