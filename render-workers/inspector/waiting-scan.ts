import type { Uploads, WaitingUpload } from '../../read-models/uploads/uploads.ts';

const OF_A_PAGE = 100;
const MAX_PAGES = 10;

/** `is_end` if no account follows, so that the next scan begins with the first account. */
export type Scanned = { readonly found: readonly WaitingUpload[]; readonly is_end: boolean };

/**
 * Reads waiting uploads of some accounts, and at the next call those of the following ones. So accounts with many
 * uploads hide no other account, and each call is bounded.
 */
export const openWaitingScan = (waiting: Uploads['waiting']): (() => Promise<Scanned>) => {
  let after: string | null = null;
  return async () => {
    const found: WaitingUpload[] = [];
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = await waiting(after, OF_A_PAGE);
      found.push(...page);
      const is_end = page.length < OF_A_PAGE;
      // The rest of the last account waits for the next round.
      after = is_end ? null : (page.at(-1)?.account_id ?? null);
      if (is_end) return { found, is_end };
    }
    return { found, is_end: false };
  };
};
