/** A terminal, a pipe or a file. */
export type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Characters without a glyph, except newline and tab: controls, formats (including text direction), surrogates, private
 * and unassigned.
 */
const UNSEEN = /(?![\n\t])\p{C}/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * The text with `\u001b` in place of characters that control a terminal or are invisible. In JSON this keeps the
 * meaning, because such characters occur only within strings.
 */
export const shownText = (text: string): string => text.replace(UNSEEN, escaped);

const RAW = new WeakMap<Screen, Screen>();

/**
 * Escapes control characters in all output of renderctl, so names, files, servers and errors cannot control the
 * terminal.
 */
export const cleanScreen = (raw: Screen): Screen => {
  const write: Screen['write'] = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const text = shownText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    return Reflect.apply(raw.write, raw, [text, ...rest]);
  };
  const screen = new Proxy(raw, {
    get: (stream, name) => {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(stream, name, stream);
      return typeof value === 'function' ? value.bind(stream) : value;
    },
  });
  RAW.set(screen, raw);
  return screen;
};

/** The raw screen, for renderctl's own sequences that move the cursor. Data is never written to it. */
export const controlled = (screen: Screen): Screen => RAW.get(screen) ?? screen;

/** The output for tables that programs read: raw into a file or a pipe, escaped on a terminal. */
export const dataScreen = (screen: Screen): Screen => (screen.isTTY === true ? screen : controlled(screen));
