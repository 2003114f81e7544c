/**
 * Earlier phases are evicted first.
 *
 * - `unauthenticated`: the last request has no valid key.
 * - `new`: no key was sent yet.
 * - `authenticating`: the client sends the body of a request with a well-formed key.
 * - `authenticated`: the client has sent a valid key.
 */
export type ConnectionPhase = 'unauthenticated' | 'new' | 'authenticating' | 'authenticated';

/** How long a connection may keep the gateway waiting before newer ones evict it. */
export type EvictionTimeouts = {
  /** For the head of the first request, and again for its body: enough for some round trips. */
  readonly new_ms: number;
  /** Limit of each pause of an authenticated client, between requests or within one. */
  readonly authenticated_ms: number;
};

export const EVICTION_TIMEOUTS: EvictionTimeouts = { new_ms: 1_000, authenticated_ms: 5_000 };

/** Connections that wait for their client: for a request, for a body, or until the client reads an answer. */
export class EvictionQueue<C extends object> {
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
   * The connection to evict next: first one without a valid key, then one past its timeout, even with a valid key.
   * Otherwise the phase decides.
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
