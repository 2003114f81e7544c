/**
 * Requests that may wait at a time for renders that are not known yet. Each holds one of the gateway's 256 connections to
 * this API: waiting takes at most half of them, and one account a part of that.
 */
const MOST_WAITING = 128;
const MOST_OF_ACCOUNT = 32;

/** Null where no more may wait; else the result of the wait. */
export type Waits = <A>(account_id: string, wait: () => Promise<A>) => Promise<A> | null;

export const openWaits = (): Waits => {
  const by_account = new Map<string, number>();
  let all = 0;

  const add = (account_id: string, change: 1 | -1): void => {
    const count = (by_account.get(account_id) ?? 0) + change;
    if (count === 0) by_account.delete(account_id);
    else by_account.set(account_id, count);
    all += change;
  };

  return (account_id, wait) => {
    if (all >= MOST_WAITING || (by_account.get(account_id) ?? 0) >= MOST_OF_ACCOUNT) return null;
    add(account_id, 1);
    return wait().finally(() => add(account_id, -1));
  };
};
