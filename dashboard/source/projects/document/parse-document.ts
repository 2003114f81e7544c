type Parsed = { readonly document: Readonly<Record<string, unknown>> } | { readonly fault: string };

/** The document in a text, or the fault of the text, as a sentence. */
export const parseDocument = (text: string): Parsed => {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document !== 'object' || document === null || Array.isArray(document))
      return { fault: 'The document must be an object: {…}' };
    return { document: Object.fromEntries(Object.entries(document)) };
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
};
