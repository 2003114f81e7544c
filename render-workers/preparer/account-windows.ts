export type WindowLimits = {
  /** Of all accounts together. */
  readonly most: number;
  /** One account may hold this part of the room that is free: 8 stands for an eighth. */
  readonly part: number;
};

/**
 * How many renders are held in memory, bounded together and for each account. An account's window is a part of the room
 * that is free, so it shrinks while others hold more, and there is room for whoever comes next: alone it holds
 * `most / (part + 1)`, beside n like it `most / (part + n + 1)`, and one at least while there is any room.
 */
export type AccountWindows = {
  /** How many more the account may hold now. */
  readonly roomOf: (account_id: string) => number;
  readonly heldOf: (account_id: string) => number;
  readonly held: () => number;
  /** False without room. */
  readonly hold: (account_id: string) => boolean;
  /** Once for each that was held. */
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
