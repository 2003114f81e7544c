import type { Clock } from '../process/clock.ts';

const FIRST_LOOK_MS = 20;
const LONGEST_PAUSE_MS = 100;
/** Look-ups that are due within this time of each other share a query. */
const SHARED_WITHIN_MS = 10;
const MAX_IN_ONE_QUERY = 100;
/** When this number of requests waits, a further request gets null at once and must retry later. */
const MAX_WAITING = 2_000;

type Arrived = { readonly _id: string };

type Waiter<D> = {
  readonly id: string;
  readonly visible: (document: D) => boolean;
  readonly until: number;
  readonly done: (document: D | null) => void;
  readonly failed: (error: unknown) => void;
  next_look: number;
  pause_ms: number;
};

export type DocumentWaits<D extends Arrived> = {
  /**
   * Null after the timeout. A document that is not `visible` to the client counts as missing. Rejects when the store
   * fails.
   */
  readonly wait: (id: string, visible: (document: D) => boolean, timeout_ms: number) => Promise<D | null>;
};

/** One query at a time looks up the documents of all waiting requests. */
export const openDocumentWaits = <D extends Arrived>(
  find: (ids: readonly string[]) => Promise<readonly D[]>,
  clock: Clock,
): DocumentWaits<D> => {
  const waiting = new Set<Waiter<D>>();
  let looking = false;

  const settle = (waiter: Waiter<D>, document: D | null): void => {
    waiting.delete(waiter);
    waiter.done(document);
  };

  const settleLate = (now: number): void => {
    for (const waiter of waiting) if (now > waiter.until) settle(waiter, null);
  };

  const look = async (due: readonly Waiter<D>[]): Promise<void> => {
    try {
      const found = new Map(
        (await find([...new Set(due.map(({ id }) => id))])).map((document) => [document._id, document]),
      );
      const now = clock.monotonic();
      for (const waiter of due) {
        const document = found.get(waiter.id);
        if (document !== undefined && waiter.visible(document)) settle(waiter, document);
        else if (now >= waiter.until) settle(waiter, null);
        waiter.pause_ms = Math.min(LONGEST_PAUSE_MS, waiter.pause_ms * 1.5);
        waiter.next_look = Math.min(waiter.until, now + waiter.pause_ms);
      }
      settleLate(now);
    } catch (error) {
      for (const waiter of due) {
        waiting.delete(waiter);
        waiter.failed(error);
      }
    }
  };

  const schedule = (): void => {
    if (looking || waiting.size === 0) return;
    looking = true;
    const next = Math.min(...[...waiting].map(({ next_look }) => next_look));
    clock.after(Math.max(1, next - clock.monotonic()), () => {
      const soon = clock.monotonic() + SHARED_WITHIN_MS;
      // The longest wait since the last look-up comes first; otherwise the earliest requests would take all look-ups.
      const due = [...waiting]
        .filter(({ next_look }) => next_look <= soon)
        .sort((a, b) => a.next_look - b.next_look)
        .slice(0, MAX_IN_ONE_QUERY);
      void (due.length === 0 ? Promise.resolve() : look(due)).finally(() => {
        looking = false;
        schedule();
      });
    });
  };

  return {
    wait: (id, visible, timeout_ms) => {
      if (waiting.size >= MAX_WAITING) return Promise.resolve(null);
      return new Promise((done, failed) => {
        const now = clock.monotonic();
        const until = now + timeout_ms;
        waiting.add({ id, visible, until, done, failed, next_look: now + FIRST_LOOK_MS, pause_ms: FIRST_LOOK_MS });
        schedule();
      });
    },
  };
};
