/** Connections at which the gateway waits for the client: for a request, for its body, or until its answer is read. */
export class Waiting<C extends { readonly accepted: boolean }> {
  readonly #strangers = new Set<C>();
  readonly #accepted = new Set<C>();

  /** Behind those that wait already. */
  add(connection: C): void {
    (connection.accepted ? this.#accepted : this.#strangers).add(connection);
  }

  delete(connection: C): void {
    this.#strangers.delete(connection);
    this.#accepted.delete(connection);
  }

  /**
   * The one to do without: that has kept the gateway waiting longest, of those that never showed a valid key if there are
   * any. A client that does what it is there for keeps nobody waiting for long, so that it is hardly ever first.
   */
  first(wanted: (connection: C) => boolean): C | null {
    for (const group of [this.#strangers, this.#accepted])
      for (const connection of group) if (wanted(connection)) return connection;
    return null;
  }
}
