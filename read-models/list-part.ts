/** After `after`, up to and including `until`. Null is the beginning and the end of the list. */
export type ListPart = { readonly after: string | null; readonly until: string | null };

export const restOfList = (after: string | null): ListPart => ({ after, until: null });
