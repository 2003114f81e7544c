import type { Clock } from '../../platform/process/clock.ts';

export type WorkClock = {
  readonly signal: AbortSignal;
  /** The clock runs while at least one call of `work` is in progress. */
  readonly work: <A>(run: () => Promise<A>) => Promise<A>;
  /** Within `work`: waits for a shared resource. The clock stops while all calls wait. */
  readonly wait: <A>(run: () => Promise<A>) => Promise<A>;
};

export const combineClocks = (a: WorkClock, b: WorkClock): Pick<WorkClock, 'work' | 'wait'> => ({
  work: (run) => a.work(() => b.work(run)),
  wait: (run) => a.wait(() => b.wait(run)),
});

export const workClock = (limit_ms: number, clock: Clock): WorkClock => {
  const late = new AbortController();
  let left_ms = limit_ms;
  let at_work = 0;
  let since = 0;
  let cancel = (): void => undefined;

  const change = (by: 1 | -1): void => {
    const ran = at_work > 0;
    at_work += by;
    const runs = at_work > 0;
    if (ran === runs) return;
    if (runs) {
      since = clock.monotonic();
      cancel = clock.after(Math.max(0, left_ms), () => late.abort());
    } else {
      left_ms -= clock.monotonic() - since;
      cancel();
    }
  };
  const during =
    (by: 1 | -1) =>
    async <A>(run: () => Promise<A>): Promise<A> => {
      change(by);
      try {
        return await run();
      } finally {
        change(by === 1 ? -1 : 1);
      }
    };
  return { signal: late.signal, work: during(1), wait: during(-1) };
};
