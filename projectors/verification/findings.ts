import type { Difference } from './difference.ts';

export type ComparedCounts = Readonly<Record<string, number>>;

export type VerificationResult = {
  /** Only the first 100; `different` counts all. */
  readonly differences: readonly Difference[];
  readonly different: number;
  readonly compared: ComparedCounts;
  /** Documents that changed too often to be compared. */
  readonly moving: number;
  /** Records that are not folded yet. */
  readonly behind: number;
};

const MAX_TOLD = 100;

export type Findings = {
  readonly add: (difference: Difference | null) => void;
  readonly count: (what: string, count: number) => void;
  readonly moving: (count: number) => void;
  readonly behind: (count: number) => void;
  readonly all: () => VerificationResult;
};

export const createFindings = (): Findings => {
  const differences: Difference[] = [];
  const compared = new Map<string, number>();
  const sums = { different: 0, moving: 0, behind: 0 };
  return {
    add: (difference) => {
      if (difference === null) return;
      sums.different += 1;
      if (differences.length < MAX_TOLD) differences.push(difference);
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
