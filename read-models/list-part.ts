/** A part of a list: after `after`, up to and including `until`. Null stands for the beginning and the end of the list. */
export type ListPart = { readonly after: string | null; readonly until: string | null };

/** The whole rest of a list. */
export const restBehind = (after: string | null): ListPart => ({ after, until: null });
