/** Where text goes: a terminal, a pipe, a file. */
export type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
