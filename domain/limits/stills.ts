/** Stills of clients, for each account: a person who drags a slider, and a sheet of rows beside it. */
export const STILL_LIMITS = { per_s: 10, burst: 60 } as const;
