/** Loads the first page, so that no erased data remains in memory. */
export const beginAnew = (): void => window.location.assign('/dashboard/');
