/**
 * Of each decoder, and of each filter that works on parts of a picture; left to themselves they take as many as there are
 * cores, and a process has very many of them.
 */
export const THREADS = 3;
