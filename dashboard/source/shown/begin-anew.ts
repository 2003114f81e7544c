/** Loading the first page removes the erased data from memory. */
export const beginAnew = (): void => window.location.assign('/dashboard/');
