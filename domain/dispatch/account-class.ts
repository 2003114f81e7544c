/** Of what an account has waiting when it asks for one more render: nothing, a few renders, or a batch. */
export const ACCOUNT_CLASSES = ['idle', 'busy', 'batch'] as const;
export type AccountClass = (typeof ACCOUNT_CLASSES)[number];

/** From here on an account is waiting for its own renders more than for others: accounts take turns. */
const FEWEST_OF_A_BATCH = 20;

/** @param waiting renders of the account that were asked for before and that no worker has yet */
export const accountClass = (waiting: number): AccountClass =>
  waiting === 0 ? 'idle' : waiting < FEWEST_OF_A_BATCH ? 'busy' : 'batch';
