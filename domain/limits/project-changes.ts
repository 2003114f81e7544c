/** Changes of projects over HTTP, for each account: a burst of a minute's changes. */
export const PROJECT_CHANGE_LIMITS = { per_s: 1, burst: 60 } as const;

/** Checks of documents, for each account. */
export const PROJECT_CHECK_LIMITS = { per_s: 10, burst: 60 } as const;

/** Checks of several rows at once, for each account: the rows of two large sheets, and a person who edits each. */
export const PROJECT_CHECK_BATCH_LIMITS = { per_s: 4, burst: 40 } as const;
