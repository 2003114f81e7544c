/**
 * How far a connection has proved itself; the earlier in this list, the sooner it is evicted.
 *
 * - `unauthenticated`: its last request has, or had, no valid key;
 * - `new`: has sent no key yet;
 * - `authenticating`: is sending the body of a request with a well-formed key;
 * - `authenticated`: has sent a valid key, whether it sends a request now or not.
 */
export type ConnectionPhase = 'unauthenticated' | 'new' | 'authenticating' | 'authenticated';

/** How long a connection may keep the gateway waiting before it is evicted for newer ones. */
export type EvictionTimeouts = {
  /** For the head of the first request, and again for its body: some round trips each. */
  readonly new_ms: number;
  /** Between two requests, or within one. */
  readonly authenticated_ms: number;
};

export const EVICTION_TIMEOUTS: EvictionTimeouts = { new_ms: 1_000, authenticated_ms: 5_000 };

/** Connections that wait for their client: for a request, for its body, or for the client to read its answer. */
export class EvictionQueue<C extends object> {
  /** In the order of arrival, with the time of it. */
  readonly #queues: Readonly<Record<ConnectionPhase, Map<C, number>>> = {
    unauthenticated: new Map(),
    new: new Map(),
    authenticating: new Map(),
    authenticated: new Map(),
  };
  readonly #timeouts: EvictionTimeouts;

  constructor(timeouts: EvictionTimeouts) {
    this.#timeouts = timeouts;
  }

  /** Adds it at the end. */
  add(connection: C, phase: ConnectionPhase, now_ms: number): void {
    this.#queues[phase].set(connection, now_ms);
  }

  has(connection: C): boolean {
    return Object.values(this.#queues).some((queue) => queue.has(connection));
  }

  delete(connection: C): void {
    for (const queue of Object.values(this.#queues)) queue.delete(connection);
  }

  /**
   * The connection to evict. Those that have timed out go before those that have not, even with a valid key; within
   * each, by phase.
   */
  first(now_ms: number, wanted: (connection: C) => boolean): C | null {
    const { unauthenticated, new: newcomers, authenticating, authenticated } = this.#queues;
    const { new_ms, authenticated_ms } = this.#timeouts;
    return (
      firstOf(unauthenticated, wanted) ??
      firstOf(newcomers, wanted, now_ms - new_ms) ??
      firstOf(authenticating, wanted, now_ms - new_ms) ??
      firstOf(authenticated, wanted, now_ms - authenticated_ms) ??
      firstOf(newcomers, wanted) ??
      firstOf(authenticating, wanted) ??
      firstOf(authenticated, wanted)
    );
  }
}

/** @param before ms: connections that were added later are ignored */
const firstOf = <C>(
  queue: ReadonlyMap<C, number>,
  wanted: (connection: C) => boolean,
  before = Number.POSITIVE_INFINITY,
): C | null => {
  for (const [connection, since] of queue) {
    if (since > before) return null;
    if (wanted(connection)) return connection;
  }
  return null;
};
