export type WindowLimits = {
  readonly most: number;
  /** One account may use 1 / `part` of the free room. */
  readonly part: number;
};

/**
 * Limits renders in memory, in total and per account. The window of an account shrinks while other accounts have more
 * renders, so that the next account finds room. A single account gets `most / (part + 1)` renders, each of n similar
 * accounts about `most / (part + n)`. Each account gets at least one while there is room.
 */
export type AccountWindows = {
  readonly roomOf: (account_id: string) => number;
  readonly heldOf: (account_id: string) => number;
  readonly held: () => number;
  readonly hold: (account_id: string) => boolean;
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
