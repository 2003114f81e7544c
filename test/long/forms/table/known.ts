export const KNOWN: ReadonlyMap<string, string> = new Map<string, string>([]);
