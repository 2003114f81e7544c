/** The load that an account has waiting when it requests one more render: no renders, a few, or a batch. */
export const ACCOUNT_CLASSES = ['idle', 'busy', 'batch'] as const;
export type AccountClass = (typeof ACCOUNT_CLASSES)[number];

/** From this number on, an account waits mainly for its own renders, because accounts take turns. */
const FEWEST_OF_A_BATCH = 20;

/** @param waiting earlier requested renders of the account that no worker has yet */
export const accountClass = (waiting: number): AccountClass =>
  waiting === 0 ? 'idle' : waiting < FEWEST_OF_A_BATCH ? 'busy' : 'batch';
