export type QueuedJob = {
  readonly account_id: string;
  /** Never rejects. */
  readonly run: () => Promise<void>;
};

export type QueueLimits = {
  readonly at_once: number;
  readonly at_once_per_account: number;
  /** Slots for accounts without a running job, so that a few slow accounts do not take all slots; default 0. */
  readonly at_once_reserved?: number;
};

export type AccountQueue = {
  readonly add: (preparation: QueuedJob) => void;
  readonly remove: (preparation: QueuedJob) => void;
  readonly waiting: () => number;
  readonly running: () => number;
};

export const accountQueue = (limits: QueueLimits): AccountQueue => {
  /** Waiting jobs by account. The account that was served last is at the end. */
  const waiting = new Map<string, QueuedJob[]>();
  const running = new Map<string, number>();
  let total = 0;

  const takeNext = (): QueuedJob | null => {
    if (total >= limits.at_once) return null;
    const only_idle = total >= limits.at_once - (limits.at_once_reserved ?? 0);
    const most = only_idle ? 1 : limits.at_once_per_account;
    for (const [account_id, queue] of waiting) {
      if ((running.get(account_id) ?? 0) >= most) continue;
      const preparation = queue.shift();
      waiting.delete(account_id);
      if (queue.length > 0) waiting.set(account_id, queue);
      return preparation ?? null;
    }
    return null;
  };

  const ended = (account_id: string): void => {
    total -= 1;
    const left = (running.get(account_id) ?? 0) - 1;
    if (left > 0) running.set(account_id, left);
    else running.delete(account_id);
  };

  const startWhatMay = (): void => {
    for (let next = takeNext(); next !== null; next = takeNext()) {
      const { account_id, run } = next;
      total += 1;
      running.set(account_id, (running.get(account_id) ?? 0) + 1);
      void run().finally(() => {
        ended(account_id);
        startWhatMay();
      });
    }
  };

  return {
    add: (preparation) => {
      const queue = waiting.get(preparation.account_id);
      if (queue === undefined) waiting.set(preparation.account_id, [preparation]);
      else queue.push(preparation);
      startWhatMay();
    },
    remove: (preparation) => {
      const left = waiting.get(preparation.account_id)?.filter((one) => one !== preparation) ?? [];
      if (left.length > 0) waiting.set(preparation.account_id, left);
      else waiting.delete(preparation.account_id);
    },
    waiting: () => [...waiting.values()].reduce((sum, queue) => sum + queue.length, 0),
    running: () => total,
  };
};
