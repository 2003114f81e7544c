/** Loading the first page removes the erased data from memory. */
export const reloadFirstPage = (): void => window.location.assign('/dashboard/');
