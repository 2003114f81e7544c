/**
 * What the gateway waits for a connection as.
 *
 * - `spare`: brings, or has brought, a request without a valid key, and nothing since;
 * - `new`: has not shown yet whether it has one;
 * - `asking`: brings the body of a request with a key that may be valid;
 * - `accepted`: has shown one, whether it brings a request now or not.
 */
export type ConnectionPhase = 'unauthenticated' | 'new' | 'authenticating' | 'authenticated';

/** For how long the gateway waits for a connection before others take its place in any case. */
export type EvictionTimeouts = {
  /** From connecting to the head of a request, and from there to the end of its body: some round trips each. */
  readonly new_ms: number;
  /** Between two requests, or within one. */
  readonly authenticated_ms: number;
};

export const EVICTION_TIMEOUTS: EvictionTimeouts = { new_ms: 1_000, authenticated_ms: 5_000 };

/** Connections at which the gateway waits for the client: for a request, for its body, or until its answer is read. */
export class EvictionQueue<C extends object> {
  /** Each in the order in which they came, with the time. */
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

  /** Behind those that wait already. */
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
   * The connection to close. Those that the gateway has waited for too long go first, even with a valid key. Those that
   * came just now go only where there is no other.
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

/** @param before ms: those that came later are not looked at */
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
