/**
 * Trust in a connection; earlier phases are evicted first. If the last request has no valid key, the phase is
 * `unauthenticated`. A `new` connection has sent no key yet. An `authenticating` one is sending the body of a request
 * with a well-formed key. An `authenticated` one has sent a valid key, now or earlier.
 */
export type ConnectionPhase = 'unauthenticated' | 'new' | 'authenticating' | 'authenticated';

/** How long the gateway waits for a connection before the connection is evicted for newer ones. */
export type EvictionTimeouts = {
  /** For the head of the first request, and again for its body: some round trips each. */
  readonly new_ms: number;
  /** Between two requests, or within one. */
  readonly authenticated_ms: number;
};

export const EVICTION_TIMEOUTS: EvictionTimeouts = { new_ms: 1_000, authenticated_ms: 5_000 };

/** Connections that wait for their client: for a request, for its body, or until the client reads its answer. */
export class EvictionQueue<C extends object> {
  /** Time of arrival of each connection, in order of arrival. */
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
   * The connection to evict. Connections past their timeout come first, even those with a valid key; then the phase
   * decides.
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
