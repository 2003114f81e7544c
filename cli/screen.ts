/** A terminal, a pipe or a file. */
export type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
