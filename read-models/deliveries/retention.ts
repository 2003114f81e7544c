const DAY_MS = 24 * 60 * 60 * 1_000;

const SUCCEEDED_KEPT_MS = 7 * DAY_MS;
/** An operator can repeat a failed delivery during this time. */
const OTHERS_KEPT_MS = 30 * DAY_MS;

/** @param ended_at ms since the epoch */
export const expiryOf = (end: 'succeeded' | 'exhausted' | 'skipped', ended_at: number): Date =>
  new Date(ended_at + (end === 'succeeded' ? SUCCEEDED_KEPT_MS : OTHERS_KEPT_MS));

/** Whether a delivery that ended at `ended_at` can still be in the store. Both times are in ms since the epoch. */
export const mayStillBeStored = (ended_at: number, now: number): boolean =>
  expiryOf('exhausted', ended_at).getTime() > now;
