import type { Clock } from '../../platform/process/clock.ts';

/**
 * Text of the event stream. If several frames with the same `about` wait, only the first is kept. A frame says only
 * what changed, and the page then reads it again.
 */
export type StreamFrame = { readonly text: string; readonly about: string | null };

export type StreamOutput = {
  readonly write: (text: string) => boolean;
  readonly end: (text?: string) => void;
  readonly destroy: () => void;
  readonly on: (event: 'drain', then: () => void) => unknown;
};

export type QueueLimits = { readonly frames: number; readonly bytes: number; readonly end_within_ms: number };

const LIMITS: QueueLimits = { frames: 256, bytes: 64 * 1024, end_within_ms: 5_000 };

export const RESET_FRAME = 'event: reset\ndata: {}\n\n';

export class ListenerQueue {
  readonly #out: StreamOutput;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #limits: QueueLimits;
  readonly #waiting_about = new Set<string>();
  #waiting: StreamFrame[] = [];
  #bytes = 0;
  #is_full = false;
  #is_over = false;
  #cancel: () => void = () => undefined;

  constructor(out: StreamOutput, clock: Pick<Clock, 'after'>, limits = LIMITS) {
    this.#out = out;
    this.#clock = clock;
    this.#limits = limits;
    out.on('drain', () => this.#flush());
  }

  get waiting_bytes(): number {
    return this.#bytes;
  }

  /** @returns false if the listener reads too slowly and was cut off */
  push(frame: StreamFrame): boolean {
    if (this.#is_over) return false;
    if (!this.#is_full) {
      this.#is_full = !this.#out.write(frame.text);
      return true;
    }
    if (frame.about !== null && this.#waiting_about.has(frame.about)) return true;
    if (this.#waiting.length >= this.#limits.frames || this.#bytes + frame.text.length > this.#limits.bytes) {
      this.end(RESET_FRAME);
      return false;
    }
    this.#waiting.push(frame);
    this.#bytes += frame.text.length;
    if (frame.about !== null) this.#waiting_about.add(frame.about);
    return true;
  }

  /**
   * Drops the waiting frames, sends `last`, and ends the stream. If the listener does not read `last` either, the
   * connection is destroyed.
   */
  end(last = ''): void {
    if (this.#is_over) return;
    this.#is_over = true;
    this.#forget();
    this.#out.end(last);
    this.#cancel = this.#clock.after(this.#limits.end_within_ms, () => this.#out.destroy());
  }

  closed(): void {
    this.#is_over = true;
    this.#forget();
    this.#cancel();
  }

  #forget(): void {
    this.#waiting = [];
    this.#bytes = 0;
    this.#waiting_about.clear();
  }

  #flush(): void {
    if (this.#is_over) return;
    const waited = this.#waiting;
    this.#forget();
    this.#is_full = false;
    for (const frame of waited) this.push(frame);
  }
}
