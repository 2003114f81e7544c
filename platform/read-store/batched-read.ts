type Waiter<A> = { readonly done: (found: A | undefined) => void; readonly failed: (error: unknown) => void };

/**
 * One query is in progress at a time, and keys that are requested meanwhile go into the next one. No answer is
 * therefore older than its request. If a query fails, all its requests reject.
 */
export const batchReads = <A>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, A>>,
  most_at_once: number,
): ((key: string) => Promise<A | undefined>) => {
  const waiting = new Map<string, Waiter<A>[]>();
  let reading = false;

  const next = async (): Promise<void> => {
    const batch = [...waiting].slice(0, most_at_once);
    for (const [key] of batch) waiting.delete(key);
    try {
      const found = await read(batch.map(([key]) => key));
      for (const [key, waiters] of batch) for (const { done } of waiters) done(found.get(key));
    } catch (error) {
      for (const [, waiters] of batch) for (const { failed } of waiters) failed(error);
    }
  };

  const readAll = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    while (waiting.size > 0) await next();
    reading = false;
  };

  return (key) =>
    new Promise((done, failed) => {
      const waiters = waiting.get(key);
      if (waiters === undefined) waiting.set(key, [{ done, failed }]);
      else waiters.push({ done, failed });
      void readAll();
    });
};
