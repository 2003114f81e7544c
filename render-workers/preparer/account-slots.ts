import { accountQueue, type QueueLimits } from './account-queue.ts';

/** Places for what is done at once, of which no account may have more than its share; the accounts take turns. */
export type AccountSlots = {
  /** Runs it as soon as it is the account's turn; resolves to `given_up` where the signal aborts before. */
  readonly inSlot: <A>(account_id: string, signal: AbortSignal, run: () => Promise<A>, given_up: () => A) => Promise<A>;
};

export const openAccountSlots = (limits: QueueLimits): AccountSlots => {
  const queue = accountQueue(limits);
  const inSlot = <A>(account_id: string, signal: AbortSignal, run: () => Promise<A>, given_up: () => A): Promise<A> => {
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const giveUp = (): void => resolve(given_up());
    signal.addEventListener('abort', giveUp, { once: true });
    queue.add({
      account_id,
      run: async () => {
        signal.removeEventListener('abort', giveUp);
        if (signal.aborted) return giveUp();
        await run().then(resolve, reject);
      },
    });
    return promise;
  };
  return { inSlot };
};
