import { messageOf } from '../logging/message-of.ts';

/** Metadata requests in parallel with the sends, at most one of each kind at a time. */
export class MetadataRequests {
  readonly #asked = new Set<string>();
  readonly #onFault: (reason: string) => void;
  /** Why the last request failed; null if it succeeded. */
  unreachable: string | null = null;

  constructor(onFault: (reason: string) => void) {
    this.#onFault = onFault;
  }

  /** @param question resolves with whether the answer is new; if so, `onNew` is called */
  ask(kind: string, question: () => Promise<boolean>, onNew: () => void): void {
    if (this.#asked.has(kind)) return;
    this.#asked.add(kind);
    question()
      .then(
        (is_new) => {
          this.unreachable = null;
          if (is_new) onNew();
        },
        (error: unknown) => {
          this.unreachable = `Kafka cannot be reached: ${messageOf(error)}`;
          this.#onFault(messageOf(error));
        },
      )
      .finally(() => this.#asked.delete(kind));
  }
}
