const ENCODER = new TextEncoder();

/** The beginning of a text, as much of it as fits into so many bytes of UTF-8. */
export const beginningOf = (text: string, most_bytes: number): string => {
  if (text.length * 3 <= most_bytes) return text;
  const { read } = ENCODER.encodeInto(text, new Uint8Array(most_bytes));
  return text.slice(0, read);
};
