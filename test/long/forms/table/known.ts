/** Why the engine fails with a form at present, by the form's name. */
export const KNOWN: ReadonlyMap<string, string> = new Map<string, string>([]);
