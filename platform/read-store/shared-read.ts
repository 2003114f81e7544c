/**
 * One read of a key is in progress at a time, and all requests meanwhile share the next one. No result is therefore
 * older than its request. If a read fails, all its requests reject.
 */
export const coalesceReads = <A>(read: (key: string) => Promise<A>): ((key: string) => Promise<A>) => {
  const running = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Promise<A>>();

  const begin = (key: string): Promise<A> => {
    const answer = read(key);
    const ended = answer.then(
      () => undefined,
      () => undefined,
    );
    running.set(key, ended);
    void ended.then(() => {
      if (running.get(key) === ended) running.delete(key);
    });
    return answer;
  };

  return (key) => {
    const before = running.get(key);
    if (before === undefined) return begin(key);
    const next =
      waiting.get(key) ??
      before.then(() => {
        waiting.delete(key);
        return begin(key);
      });
    waiting.set(key, next);
    return next;
  };
};
