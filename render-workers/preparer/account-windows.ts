export type WindowLimits = {
  /** Limit of all accounts together. */
  readonly most: number;
  /** One account may hold this fraction of the free room: 8 means an eighth. */
  readonly part: number;
};

/**
 * Limits how many renders are held in memory, in total and for each account. An account's window is a fraction of the
 * free room. It shrinks while other accounts hold more, so there is room for the next account. A single account holds
 * `most / (part + 1)`; beside n similar accounts it holds `most / (part + n + 1)`. It holds at least one while there is
 * any room.
 */
export type AccountWindows = {
  /** How many more renders the account may hold now. */
  readonly roomOf: (account_id: string) => number;
  readonly heldOf: (account_id: string) => number;
  readonly held: () => number;
  /** False if there is no room. */
  readonly hold: (account_id: string) => boolean;
  /** Call once for each successful `hold`. */
  readonly release: (account_id: string) => void;
};

export const accountWindows = ({ most, part }: WindowLimits): AccountWindows => {
  const of_account = new Map<string, number>();
  let together = 0;

  const heldOf = (account_id: string): number => of_account.get(account_id) ?? 0;
  const roomOf = (account_id: string): number => {
    const free = most - together;
    const window = Math.max(1, Math.floor(free / part));
    return Math.max(0, Math.min(free, window - heldOf(account_id)));
  };

  return {
    roomOf,
    heldOf,
    held: () => together,
    hold: (account_id) => {
      if (roomOf(account_id) === 0) return false;
      together += 1;
      of_account.set(account_id, heldOf(account_id) + 1);
      return true;
    },
    release: (account_id) => {
      together -= 1;
      const left = heldOf(account_id) - 1;
      if (left > 0) of_account.set(account_id, left);
      else of_account.delete(account_id);
    },
  };
};
