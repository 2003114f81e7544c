export const ACCOUNT_CLASSES = ['idle', 'busy', 'batch'] as const;
export type AccountClass = (typeof ACCOUNT_CLASSES)[number];

/**
 * From this number of waiting renders on, a new render mainly waits for others of its own account, because accounts
 * take turns.
 */
const FEWEST_OF_A_BATCH = 20;

export const accountClass = (waiting: number): AccountClass =>
  waiting === 0 ? 'idle' : waiting < FEWEST_OF_A_BATCH ? 'busy' : 'batch';
