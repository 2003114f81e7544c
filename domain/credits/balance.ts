export type CreditLimit = {
  /** If true, the service never refuses the account's renders for lack of credits. */
  readonly unlimited_credits: boolean;
  readonly granted_credits: number;
};

/**
 * The credits of one account's renders in one partition, after the event at `offset`. If two ledgers have the same
 * partition, the one with the higher offset is newer.
 */
export type PartitionLedger = {
  readonly partition: number;
  readonly offset: number;
  readonly reserved_credits: number;
  readonly charged_credits: number;
};

/** Negative if accepted renders cost more than the account had; new grants must first cover the debt. */
export const balanceCredits = (granted_credits: number, shares: Iterable<PartitionLedger>): number => {
  let left = granted_credits;
  for (const { reserved_credits, charged_credits } of shares) left -= reserved_credits + charged_credits;
  return left;
};
