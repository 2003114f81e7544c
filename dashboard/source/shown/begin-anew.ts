/** Loads the first page, so that nothing stays here of what was erased. */
export const beginAnew = (): void => window.location.assign('/dashboard/');
