import { type AccountQueue, accountQueue, type QueueLimits } from './account-queue.ts';

export type AccountSlots = Pick<AccountQueue, 'running' | 'waiting'> & {
  /** Resolves to `given_up` if the signal aborts before the turn. */
  readonly inSlot: <A>(account_id: string, signal: AbortSignal, run: () => Promise<A>, given_up: () => A) => Promise<A>;
};

export const openAccountSlots = (limits: QueueLimits): AccountSlots => {
  const queue = accountQueue(limits);
  const inSlot = <A>(account_id: string, signal: AbortSignal, run: () => Promise<A>, given_up: () => A): Promise<A> => {
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const job = {
      account_id,
      run: async () => {
        signal.removeEventListener('abort', giveUp);
        if (signal.aborted) return resolve(given_up());
        await run().then(resolve, reject);
      },
    };
    const giveUp = (): void => {
      queue.remove(job);
      resolve(given_up());
    };
    signal.addEventListener('abort', giveUp, { once: true });
    queue.add(job);
    return promise;
  };
  return { inSlot, running: queue.running, waiting: queue.waiting };
};
