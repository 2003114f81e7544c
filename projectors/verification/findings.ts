import type { Difference } from './difference.ts';

/** What was compared, counted by what it is: `renders`, `ledger`, `events`, … */
export type Counts = Readonly<Record<string, number>>;

export type Verified = {
  /** The first of them. */
  readonly differences: readonly Difference[];
  /** All of them. */
  readonly different: number;
  readonly compared: Counts;
  /** Documents that changed too often meanwhile to be compared. */
  readonly moving: number;
  /** Records that are not folded yet. */
  readonly behind: number;
};

const MOST_TOLD = 100;

/** Collects what a verification finds. */
export type Findings = {
  /** Null is no difference. */
  readonly add: (difference: Difference | null) => void;
  readonly count: (what: string, count: number) => void;
  readonly moving: (count: number) => void;
  readonly behind: (count: number) => void;
  readonly all: () => Verified;
};

export const createFindings = (): Findings => {
  const differences: Difference[] = [];
  const compared = new Map<string, number>();
  const sums = { different: 0, moving: 0, behind: 0 };
  return {
    add: (difference) => {
      if (difference === null) return;
      sums.different += 1;
      if (differences.length < MOST_TOLD) differences.push(difference);
    },
    count: (what, count) => void compared.set(what, (compared.get(what) ?? 0) + count),
    moving: (count) => {
      sums.moving += count;
    },
    behind: (count) => {
      sums.behind += count;
    },
    all: () => ({ differences, ...sums, compared: Object.fromEntries(compared) }),
  };
};
