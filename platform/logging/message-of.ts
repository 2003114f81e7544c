/** What a caught value says of itself, in one text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
