import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { endAt, isEnded } from '../platform/http-server/last-answer.ts';
import { answerSocket } from '../platform/http-server/socket-errors.ts';
import { addressGroup } from './client-address.ts';
import { Turns } from './turns.ts';
import { PATIENCE, type Patience, type Standing, Waiting } from './waiting.ts';

export type Connection = {
  readonly socket: Socket;
  /** A trusted proxy's brings requests of one client after the other. */
  readonly ofProxy: boolean;
  /** Whom it counts for; null where it is a trusted proxy's and brings no request now. */
  address: string | null;
  /** Requests that a client sends without waiting for answers are looked at one by one. */
  readonly turns: Turns;
  /** What it has shown so far; a key that was accepted counts until one is refused. */
  standing: Standing;
  /** Requests whose answers have not gone out yet. */
  unanswered: number;
  /** Of bodies and answers that are kept in memory for it. */
  held_bytes: number;
};

export type ConnectionLimits = {
  readonly most: number;
  readonly most_per_address: number;
  /** Bodies that are on their way in, and answers on their way out, of all clients together. */
  readonly most_held_bytes: number;
  readonly isTrustedProxy: (address: string) => boolean;
  readonly patience?: Patience;
};

/** What became of a connection that there was no room for. */
export type Ended = 'refused' | 'made_room' | 'too_many_requests';

type Group = { count: number; readonly waiting: Waiting<Connection> };

/** Of one connection. A client that waits for its answers sends fewer requests ahead. */
const MOST_UNANSWERED = 32;

const TOO_MANY = 'too many connections from this address; close some, or try again';
const FULL = 'too many connections; try again';

/**
 * The connections of clients. Where there are too many, of all or of one address, one that keeps the gateway waiting
 * makes room: a client that is slow, idle or without a key keeps no other client out, even of the same address.
 *
 * @param tell is told of each that was ended
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #tell: (ended: Ended) => void;
  readonly #all = new Map<Socket, Connection>();
  readonly #waiting: Waiting<Connection>;
  readonly #groups = new Map<string, Group>();
  #held_bytes = 0;

  constructor(limits: ConnectionLimits, tell: (ended: Ended) => void) {
    this.#limits = limits;
    this.#tell = tell;
    this.#waiting = this.#newWaiting();
  }

  get count(): number {
    return this.#all.size;
  }

  get held_bytes(): number {
    return this.#held_bytes;
  }

  /** Lets a new connection in, or answers 429 and ends it. */
  open(socket: Socket): Connection | null {
    const peer = socket.remoteAddress ?? '';
    const ofProxy = this.#limits.isTrustedProxy(peer);
    const address = ofProxy ? null : addressGroup(peer);
    if (address !== null && !this.#hasRoomFor(address)) return this.#refuse(socket, TOO_MANY);
    if (this.#all.size >= this.#limits.most && !this.#makeRoom(this.#waiting)) return this.#refuse(socket, FULL);
    const standing = ofProxy ? 'accepted' : 'new';
    const connection: Connection = {
      ...{ socket, ofProxy, standing, address: null, turns: new Turns() },
      ...{ unanswered: 0, held_bytes: 0 },
    };
    this.#all.set(socket, connection);
    this.#count(connection, address);
    socket.once('close', () => this.#leave(connection));
    return connection;
  }

  /** Null once it is over. One that was accepted earlier is opened now. */
  of(socket: Socket): Connection | null {
    return this.#all.get(socket) ?? (socket.destroyed || isEnded(socket) ? null : this.open(socket));
  }

  /**
   * Counts a proxy's connection for the client whose request it brings, until `leaveClient`.
   *
   * @returns false where that client has too many
   */
  enterClient(connection: Connection, address: string): boolean {
    if (!this.#hasRoomFor(address)) return false;
    connection.standing = 'new';
    this.#count(connection, address);
    return true;
  }

  leaveClient(connection: Connection): void {
    connection.standing = 'accepted';
    if (this.#all.has(connection.socket)) this.#count(connection, null);
  }

  /** From now on it is the client that is waited for. */
  waitFor(connection: Connection): void {
    this.serve(connection);
    if (!this.#all.has(connection.socket)) return;
    const { address, standing } = connection;
    const now_ms = performance.now();
    this.#waiting.add(connection, standing, now_ms);
    if (address !== null) this.#groupOf(address).waiting.add(connection, standing, now_ms);
  }

  /** Waits for a client by what its request shows. One that was accepted stays so, and is waited for anew. */
  waitAs(connection: Connection, standing: Standing): void {
    if (connection.standing === standing && this.#waiting.has(connection)) return;
    if (connection.standing !== 'accepted') connection.standing = standing;
    this.waitFor(connection);
  }

  /**
   * Counts every request, also those that are not passed on. Ends a connection that brings too many ahead of answers.
   *
   * @returns false where the connection is over
   */
  beginRequest(socket: Socket): boolean {
    const connection = this.#all.get(socket);
    if (connection === undefined) return false;
    connection.unanswered += 1;
    if (connection.unanswered <= MOST_UNANSWERED) return true;
    // Those behind it were read already.
    endAt(socket);
    this.#end(connection, 'too_many_requests');
    return false;
  }

  /** A request without a valid key has been answered. New connections now come before this one. */
  afterRequest(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    connection.unanswered -= 1;
    if (connection.turns.taken) return;
    if (connection.standing !== 'new' && connection.standing !== 'asking') return;
    this.waitAs(connection, 'spare');
  }

  /** From now on it is the client that waits. */
  serve(connection: Connection): void {
    this.#waiting.delete(connection);
    if (connection.address !== null) this.#groups.get(connection.address)?.waiting.delete(connection);
  }

  /**
   * Counts bytes that are kept for a connection, until they are given back or it ends.
   *
   * @returns false when there is no room, and nobody who keeps bytes and the gateway waiting
   */
  hold(connection: Connection, bytes: number): boolean {
    while (this.#held_bytes + bytes > this.#limits.most_held_bytes) {
      const longest = this.#waiting.first(performance.now(), (one) => one !== connection && one.held_bytes > 0);
      if (longest === null) return false;
      this.#end(longest, 'made_room');
    }
    if (!this.#all.has(connection.socket)) return false;
    connection.held_bytes += bytes;
    this.#held_bytes += bytes;
    return true;
  }

  giveBack(connection: Connection, bytes: number): void {
    const held = Math.min(bytes, connection.held_bytes);
    connection.held_bytes -= held;
    this.#held_bytes -= held;
  }

  #newWaiting(): Waiting<Connection> {
    return new Waiting(this.#limits.patience ?? PATIENCE);
  }

  #groupOf(address: string): Group {
    const known = this.#groups.get(address);
    if (known !== undefined) return known;
    const group = { count: 0, waiting: this.#newWaiting() };
    this.#groups.set(address, group);
    return group;
  }

  #hasRoomFor(address: string): boolean {
    const group = this.#groups.get(address);
    return group === undefined || group.count < this.#limits.most_per_address || this.#makeRoom(group.waiting);
  }

  /** Counts it for another address than before. */
  #count(connection: Connection, address: string | null): void {
    this.#discount(connection);
    connection.address = address;
    if (address !== null) this.#groupOf(address).count += 1;
    this.waitFor(connection);
  }

  #discount(connection: Connection): void {
    this.serve(connection);
    const { address } = connection;
    const group = address === null ? undefined : this.#groups.get(address);
    if (address === null || group === undefined) return;
    group.count -= 1;
    if (group.count === 0) this.#groups.delete(address);
  }

  #makeRoom(waiting: Waiting<Connection>): boolean {
    const longest = waiting.first(performance.now(), () => true);
    if (longest !== null) this.#end(longest, 'made_room');
    return longest !== null;
  }

  #end(connection: Connection, why: Ended): void {
    this.#leave(connection);
    connection.socket.destroy();
    this.#tell(why);
  }

  #refuse(socket: Socket, message: string): null {
    this.#tell('refused');
    answerSocket(socket, 429, randomUUID(), message, { 'Retry-After': '1' });
    socket.destroySoon();
    return null;
  }

  #leave(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return;
    this.#discount(connection);
    this.giveBack(connection, connection.held_bytes);
  }
}
